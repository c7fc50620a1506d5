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
export interface Caller extends Identity {
  /** For answers that last: whether the same request would still be let in now (key and account may have ended since). */
  readonly isStillValid: () => boolean
}

/** `any`: every valid key is let in; the handler asks `refuseWithout` once it knows what the request is about. */
export type Guard = (permission: Permission | 'any') => Admission<Caller>

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
      const caller = {
        ...identify(context, attempts, exchange),
        isStillValid: () => findCaller(context, exchange) !== undefined,
      }
      const { account, key } = caller
      exchange.trail.accountId = account.id
      exchange.trail.keyId = key.id
      const own = rateLimits === 'off' ? undefined : findLimits(context, account.id).rates
      const rate = rateOf(exchange.endpoint, [own, rateLimits])
      admitRate(exchange, { limiter, client: key.id, rate, bans: true })
      if (permission !== 'any') refuseWithout(permission, caller)
      return caller
    },
  })
}

/** Throws Problem `access_denied`. */
export function refuseWithout(permission: Permission, { key }: Pick<Identity, 'key'>): void {
  if (allows(key.permissions, permission)) return
  throw new Problem(
    'access_denied',
    `This API key lacks the permission "${permission}". Use a key that has it.`,
  )
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

function keyText(request: Request): string {
  return request.headers.get('x-api-key')?.trim() ?? ''
}

function findCaller(context: AccountsContext, { request }: Pick<Exchange, 'request'>): Identity | undefined {
  const text = keyText(request)
  return text === '' ? undefined : findByText(context, text)
}

function identify(context: AccountsContext, attempts: Attempts, exchange: Exchange): Identity {
  const { request, address } = exchange
  const caller = findCaller(context, exchange)
  if (caller) return caller
  const text = keyText(request)
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
