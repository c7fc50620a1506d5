-- What happened to tasks and files in work, for those who follow them: the ids are the order in which it was committed.
create table events (
  id integer primary key autoincrement,
  account_id text not null references accounts (id),
  -- The task or file.
  subject_id text not null,
  -- Of the task; 'file' for the processing of a file.
  job_type text not null,
  type text not null check (type in ('segments', 'restarted', 'completed', 'failed', 'cancelled')),
  data text not null,
  -- Null while the subject is in work.
  expires_at integer
) strict;

create index events_subject on events (subject_id, id);
create index events_account on events (account_id, id);
create index events_expiry on events (expires_at) where expires_at is not null;
