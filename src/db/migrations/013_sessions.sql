-- The operator's password for the console: one row at most. Argon2id in PHC format.
create table operator_password (
  id integer primary key check (id = 1),
  hash text not null,
  changed_at integer not null
) strict;

-- Who is signed in to the console. A session is known by the SHA-256 of its cookie, which is stored nowhere.
create table sessions (
  id text primary key,
  hash text not null unique,
  -- The API key that signed in, with whose permissions and life the session lives; null: the operator.
  key_id text references api_keys (id) on delete cascade,
  -- Whose library is shown; for a key its own account.
  account_id text not null references accounts (id) on delete cascade,
  created_at integer not null,
  expires_at integer not null
) strict, without rowid;

create index sessions_expiry on sessions (expires_at);

-- The console lists an account's tasks, newest first.
create index tasks_account on tasks (account_id, id);
