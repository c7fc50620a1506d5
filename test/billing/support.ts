// A ledger in memory whose clock and conversions the test sets: the real schema, without the rest of the product.

import { createAccount } from '../../src/accounts/accounts.ts'
import type { Plan } from '../../src/accounts/plans.ts'
import type { BillingContext } from '../../src/billing/balance.ts'
import { openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import type { Conversions } from '../../src/lib/conversions.ts'

export interface TestLedger extends BillingContext {
  at(iso: string): void
  advance(ms: number): void
  account(plan: Plan): string
}

export function createTestLedger(conversions: Conversions = {}): TestLedger {
  const db = openDatabase(':memory:')
  migrate(db)
  let clock = Date.UTC(2026, 0, 31, 12)
  let accounts = 0
  const now = (): number => clock
  return {
    db,
    now,
    config: { meters: conversions },
    at(iso) {
      clock = Date.parse(iso)
    },
    advance(ms) {
      clock += ms
    },
    account: (plan) => createAccount({ db, now }, `account-${++accounts}`, plan).id,
  }
}
