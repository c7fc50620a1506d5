// The accounts, for the operator, who chooses whose library is shown.

import { accountRecord, listAccounts } from '../accounts/accounts.ts'
import type { SessionGuards } from '../accounts/guard.ts'
import type { App } from '../app.ts'
import { answer, success } from '../http/envelope.ts'
import { type Route, route } from '../http/route.ts'
import { type Infer, t } from '../lib/schema.ts'
import { CONSOLE, instant, nullable, wrapped } from './spec.ts'

const AccountItem = t.Object({
  id: t.String(),
  name: t.String(),
  plan: t.String(),
  created_at: instant,
  disabled_at: nullable(instant),
})

export type AccountData = Infer<typeof AccountItem>

export function accountsRoute(app: App, { operator }: SessionGuards): Route {
  return route(
    {
      ...CONSOLE,
      method: 'GET',
      path: '/accounts',
      summary: 'All accounts, oldest first',
      auth: operator,
      responses: { 200: wrapped(t.Array(AccountItem)) },
    },
    () => answer(200, success(listAccounts(app).map(accountRecord))),
  )
}
