-- Keys that this server makes for itself, such as the one that signs links.
create table server_secrets (
  name text primary key,
  value text not null,
  created_at integer not null
) strict;

-- Content on disk: the same bytes are stored once per account, however many files have them.
create table blobs (
  account_id text not null references accounts (id),
  sha256 text not null,
  size_bytes integer not null,
  -- Files with this content.
  uses integer not null check (uses > 0),
  created_at integer not null,
  primary key (account_id, sha256)
) strict, without rowid;

-- Storage that uploads under way may still need; what is not used is given back when they end.
create table storage_reservations (
  id text primary key,
  account_id text not null references accounts (id),
  size_bytes integer not null,
  created_at integer not null
) strict;

create index storage_reservations_account on storage_reservations (account_id);

create table files (
  id text primary key,
  account_id text not null references accounts (id),
  name text not null,
  size_bytes integer not null,
  -- Null until all bytes are there and were looked at.
  media_type text,
  sha256 text,
  duration_s real,
  -- When it was recorded, as the media itself says.
  original_at integer,
  -- What the uploader said is spoken: ISO 639-1.
  language text,
  status text not null check (status in ('pending', 'processing', 'completed', 'failed', 'cancelled')),
  -- The code and message of the problem that ended the processing.
  error_code text,
  error_message text,
  -- Grows while the file is processed; complete when the file is.
  transcript_id text references transcripts (id) on delete set null,
  -- Names one processing: what it costs is charged to this name, and a retry has another.
  run_id text not null,
  created_at integer not null,
  updated_at integer not null,
  foreign key (account_id, sha256) references blobs (account_id, sha256)
) strict;

create index files_account on files (account_id, id);
create index files_status on files (account_id, status, id);
create index files_blob on files (account_id, sha256);
create index files_transcript on files (transcript_id) where transcript_id is not null;
create index files_unfinished on files (status, updated_at) where status in ('pending', 'processing');

create table namespaces (
  id text primary key,
  account_id text not null references accounts (id),
  name text not null,
  is_default integer not null check (is_default in (0, 1)),
  created_at integer not null,
  updated_at integer not null,
  unique (account_id, name)
) strict;

create unique index namespaces_default on namespaces (account_id) where is_default = 1;

create table file_namespaces (
  file_id text not null references files (id) on delete cascade,
  namespace_id text not null references namespaces (id) on delete cascade,
  primary key (file_id, namespace_id)
) strict, without rowid;

create index file_namespaces_namespace on file_namespaces (namespace_id, file_id);
