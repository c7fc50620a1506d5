// The console's door: who is signed in, signing in and out, the first password, and whose library the operator looks at.

import { getAccount } from '../accounts/accounts.ts'
import { createAddressGuard, type SessionGuards } from '../accounts/guard.ts'
import { findPasswordHash } from '../accounts/password.ts'
import { PERMISSIONS, type Permissions } from '../accounts/permissions.ts'
import { sessionToken } from '../accounts/session-cookie.ts'
import { findSession, type Session, setSessionAccount } from '../accounts/sessions.ts'
import { createSignIn, type SignIn } from '../accounts/sign-in.ts'
import type { App } from '../app.ts'
import { type Answer, answer, success } from '../http/envelope.ts'
import { clientAddress, isLocal, isLoopbackHost, requireKnownHost, requireOwnPage } from '../http/origin.ts'
import { type Admission, type Exchange, type Route, route } from '../http/route.ts'
import { Problem } from '../lib/problem.ts'
import { type Infer, t } from '../lib/schema.ts'
import { VERSION } from '../lib/version.ts'
import { CONSOLE } from './spec.ts'

const secret = t.String({ maxLength: 2_048 })

const SessionState = t.Object({
  status: t.Literal('success'),
  data: t.Object({
    signed_in: t.Boolean(),
    setup_required: t.Boolean({ description: 'The operator has no password yet.' }),
    setup_allowed: t.Boolean({
      description: 'It may be set from here: the request comes from this machine.',
    }),
    role: t.Union([t.Literal('operator'), t.Literal('account'), t.Null()]),
    account: t.Union([t.Object({ id: t.String(), name: t.String(), plan: t.String() }), t.Null()]),
    permissions: t.Array(t.String()),
    version: t.String(),
  }),
})

type State = Infer<typeof SessionState>['data']

export function sessionRoutes(app: App, guards: SessionGuards): readonly Route[] {
  const { config } = app
  const byAddress = createAddressGuard(app)
  const signIn = createSignIn(app)
  const anyone: Admission<undefined> = {
    permission: undefined,
    admit(exchange) {
      requireKnownHost(exchange, config)
      if (exchange.request.method !== 'GET') requireOwnPage(exchange, config)
      // Behind a proxy on this machine everybody would share its address.
      return byAddress.admit({ ...exchange, address: clientAddress(exchange) })
    },
  }
  const spec = { ...CONSOLE, path: '/session', auth: anyone, responses: { 200: SessionState } } as const
  return [
    route({ ...spec, method: 'GET', summary: 'Who is signed in' }, (call) => {
      const token = sessionToken(call.request)
      return stateAnswer(app, call, token === undefined ? undefined : findSession(app, token))
    }),
    route(
      {
        ...spec,
        method: 'POST',
        summary: 'Sign in with the password or an API key',
        body: t.Object({ password: t.Optional(secret), api_key: t.Optional(secret) }),
      },
      async (call) => {
        const { password, api_key } = call.body
        if ((password === undefined) === (api_key === undefined)) {
          throw new Problem('missing_parameter', 'Send either "password" or "api_key".')
        }
        const byKey = (): Session => signIn.byKey(call, api_key ?? '')
        return stateAnswer(
          app,
          call,
          password === undefined ? byKey() : await signIn.byPassword(call, password),
        )
      },
    ),
    route({ ...spec, method: 'DELETE', summary: 'Sign out' }, (call) => {
      signIn.signOut(call)
      return stateAnswer(app, call, undefined)
    }),
    setupRoute(app, signIn, anyone),
    accountRoute(app, guards),
  ]
}

function setupRoute(app: App, signIn: SignIn, anyone: Admission<undefined>): Route {
  return route(
    {
      ...CONSOLE,
      method: 'POST',
      path: '/setup',
      summary: 'Set the first password',
      auth: anyone,
      body: t.Object({ password: secret }),
      responses: { 200: SessionState },
    },
    async (call) => {
      if (!isSetupAllowed(app, call)) {
        throw new Problem(
          'access_denied',
          'The first password can be set in a browser on the machine itself (at http://127.0.0.1 and the port), or there ' +
            'with: earshot console set-password',
        )
      }
      return stateAnswer(app, call, await signIn.setUp(call, call.body.password))
    },
  )
}

function accountRoute(app: App, { operator }: SessionGuards): Route {
  return route(
    {
      ...CONSOLE,
      method: 'POST',
      path: '/session/account',
      summary: 'Look at another account',
      auth: operator,
      body: t.Object({ account: t.String({ maxLength: 200, description: 'Name or id' }) }),
      responses: { 200: SessionState },
    },
    (call) => {
      const account = getAccount(app, call.body.account)
      if (account.disabledAt !== undefined) {
        throw new Problem('access_denied', `The account "${account.name}" is disabled.`)
      }
      setSessionAccount(app, call.caller.session, account.id)
      return stateAnswer(app, call, { ...call.caller.session, account })
    },
  )
}

function stateAnswer(
  app: App,
  exchange: Exchange,
  session: Session | undefined,
): Answer<Infer<typeof SessionState>> {
  return answer(200, success(stateOf(app, exchange, session)))
}

function stateOf(app: App, exchange: Exchange, session: Session | undefined): State {
  const setupRequired = findPasswordHash(app) === undefined
  return {
    signed_in: session !== undefined,
    setup_required: setupRequired,
    setup_allowed: setupRequired && isSetupAllowed(app, exchange),
    role: session?.role ?? null,
    account: session
      ? { id: session.account.id, name: session.account.name, plan: session.account.plan }
      : null,
    permissions: session ? listPermissions(session.permissions) : [],
    version: VERSION,
  }
}

const listPermissions = (permissions: Permissions): string[] =>
  permissions === 'all' ? ['all', ...PERMISSIONS] : [...permissions]

/**
 * Whoever sits at the machine. A proxy there may hide that its clients do not: so not when the settings say that the
 * server is reached under another name, and only under a name of this machine.
 */
function isSetupAllowed({ config }: Pick<App, 'config'>, exchange: Exchange): boolean {
  const isPublic = config.publicUrl !== undefined && !isLoopbackHost(new Request(config.publicUrl))
  return isLocal(exchange) && !isPublic && isLoopbackHost(exchange.request)
}
