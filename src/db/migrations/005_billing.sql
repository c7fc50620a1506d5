-- Billing periods as accounts entered them; an account's last row is its present one. A change of plan within a period
-- adds a row with the same bounds, a new subscription one with a new anchor.
create table billing_periods (
  account_id text not null references accounts (id),
  number integer not null,
  plan text not null,
  -- Its day of the month and time of day are those on which periods begin.
  anchor_at integer not null,
  start_at integer not null,
  end_at integer not null,
  created_at integer not null,
  primary key (account_id, number)
) strict, without rowid;

-- Whatever changes or explains a balance, in millionths of a credit. Rows are only ever added.
create table ledger (
  id integer primary key,
  account_id text not null references accounts (id),
  kind text not null check (
    kind in ('charge', 'hold', 'settlement', 'waiver', 'revert', 'grant', 'allowance', 'expiry')
  ),
  -- unlimited: has no balance; what accounts without a limit use is written there.
  pool text not null check (pool in ('monthly', 'purchased', 'unlimited')),
  -- What the row adds to its pool; a charge is negative.
  micros integer not null,
  -- Price of work that was done although the balance did not reach.
  unpaid_micros integer not null,
  saved_micros integer not null,
  -- The task, request, period or grant.
  reference text not null,
  meter text,
  part text not null,
  -- Numbers the operations on one (reference, meter, part); a first charge or hold is 1, so there can be only one.
  step integer not null,
  -- Requests, or milliseconds of media.
  quantity integer not null,
  waived integer not null check (waived in (0, 1)),
  prompt_tokens integer not null,
  completion_tokens integer not null,
  note text not null,
  -- The period that the credits or the usage belong to: for reverts that of the charge.
  period_start_at integer not null,
  created_at integer not null,
  -- Running sums, so that a balance or a counter is one row and not a million; checked by the trigger below.
  monthly_after integer not null check (monthly_after >= 0),
  purchased_after integer not null check (purchased_after >= 0),
  -- Quantity of this meter billed in this period.
  meter_after integer not null check (meter_after >= 0)
) strict;

create index ledger_account on ledger (account_id);
create index ledger_meter on ledger (account_id, meter, period_start_at) where meter is not null;
create index ledger_allowance on ledger (account_id, period_start_at) where kind = 'allowance';
create unique index ledger_key on ledger (reference, meter, part, step, pool, period_start_at, waived)
  where meter is not null;

create trigger ledger_adds_up before insert on ledger
when new.monthly_after <> iif(new.pool = 'monthly', new.micros, 0) + coalesce(
    (select monthly_after from ledger where account_id = new.account_id order by id desc limit 1), 0)
  or new.purchased_after <> iif(new.pool = 'purchased', new.micros, 0) + coalesce(
    (select purchased_after from ledger where account_id = new.account_id order by id desc limit 1), 0)
  or new.meter_after <> iif(new.waived = 1 or new.meter is null, 0, new.quantity) + coalesce(
    (select meter_after from ledger
     where account_id = new.account_id and meter = new.meter and period_start_at = new.period_start_at
     order by id desc limit 1), 0)
begin
  select raise(abort, 'the running sums of a ledger row must be those before it plus its own amounts');
end;

create trigger ledger_no_update before update on ledger
begin
  select raise(abort, 'the ledger is immutable: write a row that corrects instead');
end;

create trigger ledger_no_delete before delete on ledger
begin
  select raise(abort, 'the ledger is immutable: write a row that corrects instead');
end;

create trigger billing_periods_no_update before update on billing_periods
begin
  select raise(abort, 'billing periods are immutable');
end;

create trigger billing_periods_no_delete before delete on billing_periods
begin
  select raise(abort, 'billing periods are immutable');
end;
