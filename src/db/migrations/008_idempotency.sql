-- The answers of requests that carried an Idempotency-Key: what the same request gets when it is sent again.
create table idempotency_keys (
  account_id text not null references accounts (id),
  -- Such as `POST /transcribe/async`.
  endpoint text not null,
  key text not null,
  -- SHA-256 of what was asked for.
  fingerprint text not null,
  http_status integer not null,
  content_type text not null,
  body text not null,
  expires_at integer not null,
  primary key (account_id, endpoint, key)
) strict;

create index idempotency_keys_expiry on idempotency_keys (expires_at);
