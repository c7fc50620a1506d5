-- One row per account that ever used webhooks: its default endpoint (url null: none) and its signing secret.
create table webhook_endpoints (
  account_id text primary key references accounts (id),
  url text,
  secret text not null,
  -- Signs too, beside the current one, until the time given: receivers change over in between.
  previous_secret text,
  previous_secret_until integer,
  -- Deliveries to the default endpoint that failed since the last success.
  failures_in_row integer not null default 0,
  first_failure_at integer,
  disabled_at integer,
  disabled_reason text,
  created_at integer not null
) strict;

-- One row per task with a webhook, made with the task; further ones for tests and replays. Outlives the task.
create table webhook_deliveries (
  id text primary key,
  account_id text not null references accounts (id),
  task_id text not null,
  source text not null check (source in ('default', 'request', 'test')),
  -- The delivery whose bytes this one repeated.
  replay_of text,
  url text not null,
  -- waiting: the task is in work and there is no event yet.
  state text not null check (state in ('waiting', 'pending', 'delivered', 'failed')),
  event_id text,
  event_type text,
  -- The exact text that is signed and sent, on every attempt.
  body text,
  -- Attempts whose outcome is known.
  attempts integer not null default 0,
  next_attempt_at integer,
  response_status integer,
  last_error text,
  created_at integer not null,
  delivered_at integer,
  finished_at integer
) strict;

create unique index webhook_deliveries_task on webhook_deliveries (task_id) where replay_of is null;
create index webhook_deliveries_account on webhook_deliveries (account_id, id);
create index webhook_deliveries_finished on webhook_deliveries (finished_at) where finished_at is not null;
