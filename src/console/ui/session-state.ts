// Who is signed in, as a signal. Apart from session.ts because every request may learn that nobody is any more.

import { signal } from '@preact/signals'

/** `GET /console/api/session`. */
export interface Session {
  readonly signed_in: boolean
  /** There is no operator's password yet. */
  readonly setup_required: boolean
  /** This browser runs on the server's own machine and may therefore set it. */
  readonly setup_allowed: boolean
  readonly role: 'operator' | 'account' | null
  readonly account: { readonly id: string; readonly name: string; readonly plan: string | null } | null
  readonly permissions: readonly string[]
  readonly version: string
}

/** Undefined until the server has been asked; an Error when it could not be. */
export const session = signal<Session | Error | undefined>(undefined)

/** The server no longer knows the session: back to the sign-in page. */
export function signedOut(): void {
  const known = session.peek()
  if (known === undefined || known instanceof Error || !known.signed_in) return
  session.value = { ...known, signed_in: false, role: null, account: null, permissions: [] }
}

/** The signed-in session. To be used below the sign-in page only. */
export function currentSession(): Session {
  const known = session.value
  if (known === undefined || known instanceof Error) throw new Error('there is no session')
  return known
}

/** Whether what is signed in may do this; see the API's permissions. */
export function may(permission: string): boolean {
  const known = session.value
  return known !== undefined && !(known instanceof Error) && known.permissions.includes(permission)
}
