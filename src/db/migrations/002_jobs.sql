create table jobs (
  id text primary key,
  kind text not null,
  lane text not null,
  -- The task or other record this job works for; cancelling goes by owner.
  owner text,
  args text not null,
  steps text not null default '{}',
  checkpoint text,
  progress real not null default 0,
  state text not null default 'queued' check (state in ('queued', 'running', 'done', 'failed', 'cancelled')),
  attempt integer not null default 0,
  attempts_max integer not null,
  -- How often a process ended while it ran this job, since the last checkpoint.
  deaths integer not null default 0,
  run_at integer not null,
  lease text,
  lease_until integer,
  unique_key text,
  error text,
  created_at integer not null,
  started_at integer,
  finished_at integer
) strict;

create index jobs_claim on jobs (lane, run_at, id) where state = 'queued';
create index jobs_lease on jobs (lease_until) where state = 'running';
create unique index jobs_unique on jobs (unique_key) where state in ('queued', 'running');
create index jobs_owner on jobs (owner) where owner is not null;
create index jobs_finished on jobs (finished_at) where finished_at is not null;
