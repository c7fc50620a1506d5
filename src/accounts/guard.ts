// Who may call: `auth: guard('transcribe')` in a route. The order is part of the contract: 401, then limits, then 403.

import type { Config } from '../config.ts'
import type { Admission, Exchange } from '../http/route.ts'
import { Problem } from '../lib/problem.ts'
import { MINUTE, SECOND } from '../lib/time.ts'
import type { AccountsContext } from './accounts.ts'
import { type Attempts, createAttempts } from './attempts.ts'
import { findByText, type Identity } from './keys.ts'
import { admitRate, createLimiter } from './limiter.ts'
import { findLimits, rateOf } from './limits.ts'
import { allows, type Permission } from './permissions.ts'

/** What a handler sees of its caller. */
export type Caller = Identity

export type Guard = (permission: Permission) => Admission<Caller>

/** Generous: a misconfigured client is told 401 for a while; guessing 238 bits is hopeless at any rate. */
const FAILURES = { max: 120, windowMs: MINUTE, addressesMax: 10_000 }

export type GuardContext = AccountsContext & { readonly config: Pick<Config, 'rateLimits' | 'rateLimitBanS'> }

export function createGuard(context: GuardContext): Guard {
  const attempts = createAttempts(FAILURES)
  const limiter = createLimiter({ now: context.now, banMs: context.config.rateLimitBanS * SECOND })
  const { rateLimits } = context.config
  return (permission) => ({
    permission,
    admit(exchange) {
      const caller = identify(context, attempts, exchange)
      const { account, key } = caller
      exchange.trail.accountId = account.id
      exchange.trail.keyId = key.id
      const own = rateLimits === 'off' ? undefined : findLimits(context, account.id).rates
      const rate = rateOf(exchange.endpoint, [own, rateLimits])
      admitRate(exchange, { limiter, client: key.id, rate, bans: true })
      if (!allows(caller.key.permissions, permission)) {
        throw new Problem(
          'access_denied',
          `This API key lacks the permission "${permission}". Use a key that has it.`,
        )
      }
      return caller
    },
  })
}

/** For endpoints that need no key: anyone may call, as often as the endpoint's rate allows an address. Bans nobody. */
export function createAddressGuard({
  now,
  config,
}: Pick<GuardContext, 'now' | 'config'>): Admission<undefined> {
  const limiter = createLimiter({ now, banMs: 0, windowsMax: FAILURES.addressesMax })
  return {
    permission: undefined,
    admit(exchange) {
      const rate = rateOf(exchange.endpoint, [config.rateLimits])
      admitRate(exchange, { limiter, client: exchange.address, rate, bans: false })
      return undefined
    },
  }
}

function identify(context: AccountsContext, attempts: Attempts, { request, address }: Exchange): Caller {
  const text = request.headers.get('x-api-key')?.trim() ?? ''
  const caller = text === '' ? undefined : findByText(context, text)
  if (caller) return caller
  const waitMs = attempts.fail(address, context.now())
  if (waitMs !== undefined) {
    throw new Problem(
      'rate_limit_exceeded',
      'Too many requests without a valid API key came from this address. Check the key and try again later.',
      { retryAfterS: Math.ceil(waitMs / SECOND) },
    )
  }
  throw new Problem(
    'unauthorized',
    text === ''
      ? 'Send your API key in the X-API-Key header.'
      : 'The API key is not valid: unknown, revoked, expired, or its account is disabled.',
  )
}
