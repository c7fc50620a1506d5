// API keys of the account that is shown, in the console. Nobody gets a key here that may more, or lives longer, than the
// key they signed in with.

import type { SessionCaller, SessionGuards } from '../accounts/guard.ts'
import { keyRecord } from '../accounts/key-record.ts'
import {
  type ApiKey,
  createKey,
  findKey,
  listKeys,
  type NewKey,
  revokeKey,
  rotateKey,
} from '../accounts/keys.ts'
import { PERMISSIONS } from '../accounts/permissions.ts'
import type { App } from '../app.ts'
import { type Answer, answer, type Success, success } from '../http/envelope.ts'
import { type Route, route } from '../http/route.ts'
import { Problem } from '../lib/problem.ts'
import { type Infer, t } from '../lib/schema.ts'
import { DAY, SECOND } from '../lib/time.ts'
import { CONSOLE, instant, nullable, wrapped } from './spec.ts'

const permissionNames = t.Union(PERMISSIONS.map((name) => t.Literal(name)))
const permissions = t.Union([t.Literal('all'), t.Array(permissionNames, { minItems: 1, uniqueItems: true })])

const KeyRecord = t.Object({
  id: t.String(),
  name: t.String(),
  hint: t.String({ description: 'The last characters of its text' }),
  state: t.Union([t.Literal('active'), t.Literal('revoked'), t.Literal('expired')]),
  permissions,
  created_at: instant,
  last_used_at: nullable(instant),
  expires_at: nullable(instant),
  revoked_at: nullable(instant),
  is_current: t.Boolean({ description: 'The one this session was signed in with' }),
})

const NewKeyRecord = t.Object({
  key: t.String({ description: 'Its text: nobody can ask for it again' }),
  record: KeyRecord,
})

export type KeyData = Infer<typeof KeyRecord>
export type NewKeyData = Infer<typeof NewKeyRecord>

const GRACE_MAX_S = (30 * DAY) / SECOND

export function keyRoutes(app: App, { owner }: SessionGuards): readonly Route[] {
  const spec = { ...CONSOLE, auth: owner }
  return [
    route(
      {
        ...spec,
        method: 'GET',
        path: '/keys',
        summary: 'The keys of the account, newest first',
        responses: { 200: wrapped(t.Array(KeyRecord)) },
      },
      ({ caller }) => {
        const keys = listKeys(app, caller.account.id).toReversed()
        return answer(200, success(keys.map((key) => recordOf(app, key, caller))))
      },
    ),
    createRoute(app, owner),
    rotateRoute(app, owner),
    route(
      {
        ...spec,
        method: 'POST',
        path: '/keys/{key_id}/revoke',
        summary: 'Ends a key at once',
        responses: { 200: wrapped(KeyRecord) },
      },
      ({ caller, params }) => {
        const { id } = getOwnKey(app, caller, params.key_id)
        return answer(200, success(recordOf(app, revokeKey(app, id), caller)))
      },
    ),
  ]
}

function createRoute(app: App, auth: SessionGuards['owner']): Route {
  return route(
    {
      ...CONSOLE,
      auth,
      method: 'POST',
      path: '/keys',
      summary: 'A new key',
      body: t.Object({
        name: t.Optional(t.String({ maxLength: 100 })),
        permissions: t.Optional(permissions),
        expires_at: t.Optional(instant),
      }),
      responses: { 200: wrapped(NewKeyRecord) },
    },
    ({ caller, body }) => {
      refuseUnlessLasting(caller)
      const options = {
        name: body.name?.trim() ?? '',
        permissions: body.permissions ?? 'all',
        expiresAt: body.expires_at === undefined ? undefined : Date.parse(body.expires_at),
      }
      return shownOnce(app, createKey(app, caller.account.id, options), caller)
    },
  )
}

function rotateRoute(app: App, auth: SessionGuards['owner']): Route {
  return route(
    {
      ...CONSOLE,
      auth,
      method: 'POST',
      path: '/keys/{key_id}/rotate',
      summary: 'A successor; the old key stays valid for a while',
      body: t.Object({ grace_s: t.Optional(t.Integer({ minimum: 0, maximum: GRACE_MAX_S })) }),
      responses: { 200: wrapped(NewKeyRecord) },
    },
    ({ caller, params, body }) => {
      refuseUnlessLasting(caller)
      const { id } = getOwnKey(app, caller, params.key_id)
      return shownOnce(app, rotateKey(app, id, (body.grace_s ?? DAY / SECOND) * SECOND), caller)
    },
  )
}

function recordOf(app: App, key: ApiKey, { key: current }: SessionCaller): KeyData {
  const record = keyRecord(key, app.now())
  const named = record.permissions === 'all' ? ('all' as const) : [...record.permissions]
  return { ...record, permissions: named, is_current: key.id === current?.id }
}

function shownOnce(app: App, { key, text }: NewKey, caller: SessionCaller): Answer<Success<NewKeyData>> {
  return answer(200, success({ key: text, record: recordOf(app, key, caller) }))
}

function getOwnKey(app: App, { account }: SessionCaller, id: string): ApiKey {
  const key = findKey(app, id)
  if (key?.accountId === account.id) return key
  throw new Problem('not_found', 'This account has no such key.')
}

function refuseUnlessLasting({ key }: SessionCaller): void {
  if (key?.expiresAt === undefined) return
  throw new Problem(
    'access_denied',
    'The API key you signed in with expires. To make keys, sign in with one that does not, or as the operator.',
  )
}
