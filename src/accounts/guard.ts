// Who may call: `auth: guard('transcribe')` in a route. The order is part of the contract: 401, then limits, then 403.
// An API key wins over the console's cookie; in the name of a cookie only our own pages may change anything.

import type { Config } from '../config.ts'
import { requireKnownHost, requireOwnPage } from '../http/origin.ts'
import type { Admission, Exchange } from '../http/route.ts'
import { Problem } from '../lib/problem.ts'
import { MINUTE, SECOND } from '../lib/time.ts'
import type { Account, AccountsContext } from './accounts.ts'
import { type Attempts, createAttempts } from './attempts.ts'
import { type ApiKey, findByText } from './keys.ts'
import { admitRate, createLimiter, type Limiter } from './limiter.ts'
import { findLimits, rateOf } from './limits.ts'
import { allows, type Permission, type Permissions } from './permissions.ts'
import { sessionCookie, sessionToken } from './session-cookie.ts'
import { findSession, renewSession, type Session } from './sessions.ts'

/** What a handler sees of its caller. */
export interface Caller {
  readonly account: Account
  readonly permissions: Permissions
  /** The key that was sent or that signed in; the operator in the console has none. */
  readonly key: ApiKey | undefined
  /** Undefined: the key came with the request. */
  readonly session: Session | undefined
  /** For answers that last: whether the same request would still be let in now (key, account or session may have ended since). */
  readonly isStillValid: () => boolean
}

/** A caller in the console. */
export interface SessionCaller extends Caller {
  readonly session: Session
}

/** `any`: every valid key is let in; the handler asks `refuseWithout` once it knows what the request is about. */
export type Guard = (permission: Permission | 'any') => Admission<Caller>

/** Generous: a misconfigured client is told 401 for a while; guessing 238 bits is hopeless at any rate. */
const FAILURES = { max: 120, windowMs: MINUTE, addressesMax: 10_000 }

export type GuardContext = AccountsContext & {
  readonly config: Pick<Config, 'rateLimits' | 'rateLimitBanS' | 'publicUrl' | 'host'>
}

export function createGuard(context: GuardContext): Guard {
  const attempts = createAttempts(FAILURES)
  const limiter = createLimiter({ now: context.now, banMs: context.config.rateLimitBanS * SECOND })
  return (permission) => ({
    permission,
    admit(exchange) {
      const caller = identify(context, attempts, exchange)
      admitCaller(context, limiter, exchange, caller)
      if (permission !== 'any') refuseWithout(permission, caller)
      if (caller.account.disabledAt !== undefined) {
        throw new Problem('access_denied', 'This account is disabled. Choose another one in the console.')
      }
      return caller
    },
  })
}

/** Throws Problem `access_denied`. */
export function refuseWithout(permission: Permission, { permissions }: Pick<Caller, 'permissions'>): void {
  if (allows(permissions, permission)) return
  throw new Problem(
    'access_denied',
    `This API key lacks the permission "${permission}". Use a key that has it.`,
  )
}

export interface SessionGuards {
  /** Anybody who is signed in to the console. */
  readonly signedIn: Admission<SessionCaller>
  /** The operator, or an account by a key that may do everything: who may change the account's settings. */
  readonly owner: Admission<SessionCaller>
  readonly operator: Admission<SessionCaller>
}

/** For the console's own endpoints, which take no API key. */
export function createSessionGuards(context: GuardContext): SessionGuards {
  const attempts = createAttempts(FAILURES)
  const limiter = createLimiter({ now: context.now, banMs: 0 })
  const guard = (permission: string, isEnough: (session: Session) => boolean, refusal: string) => ({
    permission,
    admit(exchange: Exchange): SessionCaller {
      const caller = findSessionCaller(context, exchange)
      if (!caller) throw refused(context, attempts, exchange, 'Sign in to the console.')
      admitCaller(context, limiter, exchange, caller)
      if (isEnough(caller.session)) return caller
      throw new Problem('access_denied', refusal)
    },
  })
  return {
    signedIn: guard('signed in', () => true, ''),
    owner: guard(
      'owner',
      ({ permissions }) => permissions === 'all',
      'The API key you signed in with lacks the permission "all", which this needs.',
    ),
    operator: guard('operator', ({ role }) => role === 'operator', 'Only the operator may do this.'),
  }
}

/** Counts the request against the caller's rate, and notes who called. */
function admitCaller(context: GuardContext, limiter: Limiter, exchange: Exchange, caller: Caller): void {
  const { account, key, session } = caller
  const { trail, endpoint } = exchange
  trail.accountId = account.id
  if (key) trail.keyId = key.id
  if (session) trail.sessionId = session.id
  const { rateLimits } = context.config
  const own = rateLimits === 'off' ? undefined : findLimits(context, account.id).rates
  const rate = rateOf(endpoint, [own, rateLimits])
  // Many sessions of one key are still one key: signing in again buys nothing.
  const client = key?.id ?? session?.id ?? account.id
  // A page asks in several places at once: one that asks too often must not shut its user out of all others.
  admitRate(exchange, { limiter, client, rate, bans: session === undefined })
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

/** X-API-Key wins. Clients of other interfaces send their key as a bearer token (RFC 6750). '' when there is none. */
function keyText({ headers }: Request): string {
  const key = headers.get('x-api-key')?.trim() ?? ''
  return key === '' ? (/^bearer +(\S+)\s*$/i.exec(headers.get('authorization') ?? '')?.[1] ?? '') : key
}

function findCaller(context: GuardContext, exchange: Exchange): Caller | undefined {
  const text = keyText(exchange.request)
  if (text === '') return findSessionCaller(context, exchange)
  const identity = findByText(context, text)
  return (
    identity && {
      ...identity,
      permissions: identity.key.permissions,
      session: undefined,
      isStillValid: () => findByText(context, text) !== undefined,
    }
  )
}

function identify(context: GuardContext, attempts: Attempts, exchange: Exchange): Caller {
  const caller = findCaller(context, exchange)
  if (caller) return caller
  if (keyText(exchange.request) !== '') {
    const why = 'The API key is not valid: unknown, revoked, expired, or its account is disabled.'
    throw refused(context, attempts, exchange, why)
  }
  const isEnded = sessionToken(exchange.request) !== undefined
  const advice = isEnded
    ? 'Your session has ended. Sign in again.'
    : 'Send your API key in the X-API-Key header, or as a bearer token.'
  throw refused(context, attempts, exchange, advice)
}

/** Undefined without a valid cookie. Throws Problem `access_denied` when it was not one of our pages that sent it. */
function findSessionCaller(context: GuardContext, exchange: Exchange): SessionCaller | undefined {
  const { request, headers } = exchange
  const token = sessionToken(request)
  const session = token === undefined ? undefined : findSession(context, token)
  if (token === undefined || !session) return undefined
  requireKnownHost(exchange, context.config)
  if (!SAFE_METHODS.has(request.method)) requireOwnPage(exchange, context.config)
  if (renewSession(context, session)) headers.append('set-cookie', sessionCookie(context.config, token))
  const { account, key, permissions } = session
  const isStillValid = (): boolean => {
    const now = findSession(context, token)
    return now?.account.id === account.id && now.account.disabledAt === undefined
  }
  return { account, key, permissions, session, isStillValid }
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** The 401, or a 429 once the address has failed too often. */
function refused(context: GuardContext, attempts: Attempts, { address }: Exchange, why: string): Problem {
  const waitMs = attempts.fail(address, context.now())
  if (waitMs === undefined) return new Problem('unauthorized', why)
  return new Problem(
    'rate_limit_exceeded',
    'Too many requests without a valid API key came from this address. Check the key and try again later.',
    { retryAfterS: Math.ceil(waitMs / SECOND) },
  )
}
