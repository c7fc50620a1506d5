create table tasks (
  id text primary key,
  account_id text not null references accounts (id),
  job_type text not null,
  -- 1: made by a synchronous request, which waits for it; never shown by a poll.
  is_sync integer not null default 0,
  status text not null default 'processing' check (status in ('processing', 'completed', 'failed')),
  request text not null,
  -- JSON array of the stages still to start: {kind, lane, attempts}.
  stages text not null,
  -- JSON array of the jobs to enqueue when the task has ended.
  after_end text not null,
  result text,
  error text,
  created_at integer not null,
  started_at integer,
  completed_at integer,
  expires_at integer
) strict;

create index tasks_active on tasks (account_id) where status = 'processing';
create index tasks_expiry on tasks (expires_at) where expires_at is not null;
