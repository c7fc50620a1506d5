-- Use by day and meter: the last weeks of an account, however long its ledger.
create index ledger_day on ledger (account_id, created_at) where meter is not null;
