// The operator's password for the console, as Argon2id. This file alone touches the table operator_password.

import type { Db } from '../db/database.ts'
import { createGate } from '../lib/gate.ts'
import { Problem } from '../lib/problem.ts'
import type { AccountsContext } from './accounts.ts'

const LENGTH_MIN = 10
const LENGTH_MAX = 1_024
/** One computation takes 64 MiB and a core for a fifth of a second: off the main thread, one after another. */
const HASHING = { algorithm: 'argon2id', memoryCost: 65_536, timeCost: 2 } as const
const gate = createGate(1)
const WAITING_MAX = 16

/** Undefined: nobody has set one. */
export function findPasswordHash({ db }: { readonly db: Db }): string | undefined {
  const row = db.query<{ hash: string }, []>('select hash from operator_password').get()
  return row?.hash
}

/** Throws Problem `invalid_parameter` for one that is too short or too long. */
export async function hashPassword(text: string): Promise<string> {
  if (Array.from(text).length < LENGTH_MIN || text.length > LENGTH_MAX) {
    throw new Problem(
      'invalid_parameter',
      `The password must have ${LENGTH_MIN} to ${LENGTH_MAX.toLocaleString('en')} characters. A few words in a row are good.`,
    )
  }
  return await inTurn(() => Bun.password.hash(normal(text), HASHING))
}

/** False also when none is set. */
export async function isPassword(context: { readonly db: Db }, text: string): Promise<boolean> {
  const hash = findPasswordHash(context)
  if (hash === undefined || text.length > LENGTH_MAX) return false
  return await inTurn(() => Bun.password.verify(normal(text), hash))
}

export function storePasswordHash({ db, now }: AccountsContext, hash: string): void {
  db.query('insert or replace into operator_password (id, hash, changed_at) values (1, $hash, $now)').run({
    hash,
    now: now(),
  })
}

/** Keyboards write the same character in different ways (NIST SP 800-63B, 3.1.1.2). */
const normal = (text: string): string => text.normalize('NFKC')

async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (gate.waiting >= WAITING_MAX) {
    throw new Problem('rate_limit_exceeded', 'Too many people sign in at the moment. Try again shortly.', {
      retryAfterS: 5,
    })
  }
  return await gate.run(work)
}
