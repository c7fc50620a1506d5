-- The online videos of an account: those that it has had transcribed or taken the captions of. Another transcript of the
-- same video takes the place of the former one.
create table library_videos (
  account_id text not null references accounts (id) on delete cascade,
  -- Canonical, as the cache of transcripts has it.
  url text not null,
  -- 1-based index within a carousel; 0 when the URL names none.
  item integer not null,
  transcript_id text not null references transcripts (id) on delete cascade,
  -- Asked for by the account itself; else it is there because of an indexed channel, and goes with it.
  is_own integer not null,
  duration_s real,
  -- Epoch ms; null where the site does not tell.
  published_at integer,
  added_at integer not null,
  -- Null: still to be taken into the index.
  indexed_at integer,
  primary key (account_id, url, item)
) strict, without rowid;

create index library_videos_transcript on library_videos (transcript_id);
create index library_videos_pending on library_videos (added_at) where indexed_at is null;

-- Channels and profiles whose videos are kept in an account's library.
create table channels (
  id text primary key,
  account_id text not null references accounts (id) on delete cascade,
  -- The one spelling of its address.
  url text not null,
  platform text not null,
  -- As the site calls it; null until it was first asked.
  title text,
  -- Of its newest videos, so many are taken when it is first read.
  max_videos integer not null,
  -- Videos without captions are listened to.
  listens integer not null,
  checked_at integer,
  next_check_at integer not null,
  -- Why the last check found nothing, or the last video could not be begun: a message for people.
  error text,
  created_at integer not null
) strict;

create unique index channels_account on channels (account_id, url);
create index channels_due on channels (next_check_at);

create table channel_videos (
  channel_id text not null references channels (id) on delete cascade,
  url text not null,
  title text,
  -- pending, working, indexed or failed
  state text not null,
  attempts integer not null default 0,
  task_id text,
  error text,
  found_at integer not null,
  -- Place in the list in which it was found: the newest first.
  position integer not null,
  primary key (channel_id, url)
) strict, without rowid;

create index channel_videos_state on channel_videos (channel_id, state);
create index channel_videos_task on channel_videos (task_id) where task_id is not null;

-- Documents of the index may now be those of online videos: one per transcript, of no account, found by whoever has the
-- transcript in the library. SQLite cannot take a "not null" back, so the tables are made anew.
create table new_documents (
  id integer primary key,
  -- Both null for the document of an online video.
  account_id text,
  file_id text unique references files (id) on delete cascade,
  transcript_id text not null,
  -- ISO 639-1 code of what is spoken, where it is known.
  language text,
  chunk_count integer not null,
  indexed_at integer not null,
  check ((account_id is null) = (file_id is null))
) strict;

create table new_chunks (
  id integer primary key,
  document_id integer not null references new_documents (id) on delete cascade,
  start_ms integer not null,
  end_ms integer not null,
  text text not null
) strict;

create table new_embeddings (
  document_id integer not null references new_documents (id) on delete cascade,
  model_id text not null,
  primary key (document_id, model_id)
) strict, without rowid;

create table new_vectors (
  id integer primary key,
  document_id integer not null references new_documents (id) on delete cascade,
  model_id text not null,
  chunk_id integer not null,
  signs blob not null,
  embedding blob not null
) strict;

insert into new_documents select id, account_id, file_id, transcript_id, language, chunk_count, indexed_at from search_documents;
insert into new_chunks select id, document_id, start_ms, end_ms, text from search_chunks;
insert into new_embeddings select document_id, model_id from search_embeddings;
insert into new_vectors select id, document_id, model_id, chunk_id, signs, embedding from search_vectors;

-- From the leaves to the root: nothing is left that a cascade could take along. The words stay: they go by the ids of chunks.
drop table search_vectors;
drop table search_embeddings;
drop table search_chunks;
drop table search_documents;

alter table new_documents rename to search_documents;
alter table new_chunks rename to search_chunks;
alter table new_embeddings rename to search_embeddings;
alter table new_vectors rename to search_vectors;

create index search_documents_account on search_documents (account_id, id);
create unique index search_documents_video on search_documents (transcript_id) where account_id is null;
create index search_chunks_document on search_chunks (document_id, start_ms);
create index search_embeddings_model on search_embeddings (model_id);
-- Holds the signs, so that a first look reads nothing else.
create unique index search_vectors_signs on search_vectors (document_id, model_id, chunk_id, signs);

create trigger search_chunks_inserted after insert on search_chunks begin
  insert into search_words (rowid, text) values (new.id, new.text);
end;

create trigger search_chunks_deleted after delete on search_chunks begin
  insert into search_words (search_words, rowid, text) values ('delete', old.id, old.text);
end;

create trigger search_chunks_updated after update of text on search_chunks begin
  insert into search_words (search_words, rowid, text) values ('delete', old.id, old.text);
  insert into search_words (rowid, text) values (new.id, new.text);
end;
