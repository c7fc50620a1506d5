// Signing in to the console: by the operator's password, or by an API key of an account. Guessing is slow: every attempt
// counts before it is judged, so that parallel ones do not slip through, and success takes it back.

import type { Config } from '../config.ts'
import { transaction } from '../db/database.ts'
import { clientAddress } from '../http/origin.ts'
import type { Exchange } from '../http/route.ts'
import { Problem } from '../lib/problem.ts'
import { MINUTE, SECOND } from '../lib/time.ts'
import { type Account, type AccountsContext, listAccounts } from './accounts.ts'
import { createAttempts } from './attempts.ts'
import { findByText } from './keys.ts'
import { findPasswordHash, hashPassword, isPassword, storePasswordHash } from './password.ts'
import { expiredCookie, sessionCookie, sessionToken } from './session-cookie.ts'
import { createSession, endOperatorSessions, endSession, findSession, type Session } from './sessions.ts'

const FAILURES = { max: 10, windowMs: 10 * MINUTE, addressesMax: 10_000 }

type SignInContext = AccountsContext & { readonly config: Pick<Config, 'publicUrl'> }

export interface SignIn {
  /** Throws Problem `access_denied` for a wrong password, `rate_limit_exceeded` after too many. */
  byPassword(exchange: Exchange, password: string): Promise<Session>
  /** Throws as `byPassword` does. */
  byKey(exchange: Exchange, key: string): Session
  /** The first password, and signs in. Throws Problem `access_denied` when there is one already. */
  setUp(exchange: Exchange, password: string): Promise<Session>
  signOut(exchange: Exchange): void
}

export function createSignIn(context: SignInContext): SignIn {
  const attempts = createAttempts(FAILURES)

  /** Counts an attempt; the returned function takes it back. */
  function begin(exchange: Exchange): () => void {
    const address = clientAddress(exchange)
    const waitMs = attempts.fail(address, context.now())
    if (waitMs === undefined) return () => attempts.forgive(address)
    const retryAfterS = Math.ceil(waitMs / SECOND)
    throw new Problem(
      'rate_limit_exceeded',
      `Too many failed sign-ins from this address. Try again in ${Math.ceil(waitMs / MINUTE)} minutes.`,
      { retryAfterS },
    )
  }

  /** Always a new token: one that was planted before (session fixation) is worth nothing. */
  function start(exchange: Exchange, accountId: string, keyId?: string): Session {
    endPresented(exchange)
    exchange.trail.accountId = accountId
    const token = createSession(context, { accountId, keyId })
    exchange.headers.append('set-cookie', sessionCookie(context.config, token))
    const session = findSession(context, token)
    if (!session) throw new Error('a session that was just made was not found')
    return session
  }

  function endPresented({ request }: Exchange): void {
    const token = sessionToken(request)
    if (token !== undefined) endSession(context, token)
  }

  return {
    async byPassword(exchange, password) {
      if (findPasswordHash(context) === undefined) {
        throw new Problem(
          'access_denied',
          'No password has been set yet. Set it with: earshot console set-password',
        )
      }
      const forgive = begin(exchange)
      if (!(await isPassword(context, password))) throw wrong('The password is not right.')
      forgive()
      return start(exchange, firstAccount(context).id)
    },
    byKey(exchange, key) {
      const forgive = begin(exchange)
      const identity = findByText(context, key.trim())
      if (!identity)
        throw wrong('The API key is not valid: unknown, revoked, expired, or its account is disabled.')
      forgive()
      return start(exchange, identity.account.id, identity.key.id)
    },
    async setUp(exchange, password) {
      const hash = await hashPassword(password)
      return transaction(context.db, () => {
        // Somebody else may have been quicker.
        if (findPasswordHash(context) !== undefined) {
          throw new Problem(
            'access_denied',
            'There is a password already. Change it with: earshot console set-password',
          )
        }
        storePasswordHash(context, hash)
        return start(exchange, firstAccount(context).id)
      })
    },
    signOut(exchange) {
      endPresented(exchange)
      exchange.headers.append('set-cookie', expiredCookie(context.config))
    },
  }
}

/** No 401: that means "your session has ended" to the pages. */
const wrong = (message: string): Problem => new Problem('access_denied', message)

/** What the operator sees first: the account that every server begins with, or else the oldest. */
function firstAccount(context: AccountsContext): Account {
  const accounts = listAccounts(context).filter(({ disabledAt }) => disabledAt === undefined)
  const found = accounts.find(({ name }) => name === 'default') ?? accounts[0]
  if (found) return found
  throw new Problem('access_denied', 'There is no account that is not disabled: earshot accounts create NAME')
}

/** Replaces the operator's password and signs the operator out everywhere. Throws Problem `invalid_parameter`. */
export async function setPassword(context: AccountsContext, password: string): Promise<void> {
  const hash = await hashPassword(password)
  transaction(context.db, () => {
    storePasswordHash(context, hash)
    endOperatorSessions(context)
  })
}
