// Whose library is shown. An operator may look at any account's; everybody else sees their own name.

import type { JSX } from 'preact'
import type { AccountData } from '../account-routes.ts'
import { get, messageOf } from './api.ts'
import { Select } from './components/field.tsx'
import { toast } from './components/toasts.tsx'
import { useData } from './data.ts'
import { navigate } from './router.ts'
import { chooseAccount } from './session.ts'
import type { Session } from './session-state.ts'

export function AccountSwitch({ session }: { readonly session: Session }): JSX.Element {
  const name = session.account?.name ?? 'No account'
  return session.role === 'operator' ? <Accounts current={name} /> : <Name name={name} />
}

function Name({ name }: { readonly name: string }): JSX.Element {
  return (
    <p class="who" title={name}>
      {name}
    </p>
  )
}

function Accounts({ current }: { readonly current: string }): JSX.Element {
  const { data = [] } = useData('accounts', (signal) => get<AccountData[]>('/console/api/accounts', signal))
  const open = data.filter(({ disabled_at }) => disabled_at === null)
  if (open.length < 2) return <Name name={current} />
  const choose = (account: string): void => {
    chooseAccount(account).then(
      // What is on the screen belongs to the other account.
      () => navigate('/library'),
      (error: unknown) => toast(messageOf(error), 'error'),
    )
  }
  return (
    <Select
      label="Account"
      isLabelHidden
      value={current}
      onInput={choose}
      options={open.map(({ name }) => ({ value: name, label: name }))}
    />
  )
}
