-- Custom limits of an account, set by the operator; null: the setting or plan decides.
create table account_limits (
  account_id text primary key references accounts (id),
  storage_bytes integer,
  active_jobs integer,
  -- `POST /transcribe=20,GET /files=200`, or `off`.
  rates text
) strict;
