create table accounts (
  id text primary key,
  name text not null unique,
  plan text not null,
  created_at integer not null,
  disabled_at integer
) strict;

-- A key is known by the SHA-256 of its text; the text itself is shown once and never stored.
create table api_keys (
  id text primary key,
  account_id text not null references accounts (id),
  name text not null,
  hash text not null unique,
  hint text not null,
  permissions text not null,
  created_at integer not null,
  last_used_at integer,
  expires_at integer,
  revoked_at integer
) strict;

create index api_keys_account on api_keys (account_id);
