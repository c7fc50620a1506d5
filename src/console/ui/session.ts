// Signing in and out, and the first visit on which the operator's password is set.

import { get, send } from './api.ts'
import { type Session, session } from './session-state.ts'

const PATH = '/console/api/session'

export async function loadSession(): Promise<void> {
  try {
    session.value = await get<Session>(PATH)
  } catch (error) {
    session.value = error instanceof Error ? error : new Error(String(error))
  }
}

export type Credentials = { readonly password: string } | { readonly api_key: string }

/** Throws ApiError when they are wrong, or tried too often. */
export async function signIn(credentials: Credentials): Promise<void> {
  await send('POST', PATH, credentials)
  await loadSession()
}

/** The first visit, from the server's own machine. */
export async function setUp(password: string): Promise<void> {
  await send('POST', '/console/api/setup', { password })
  await loadSession()
}

export async function signOut(): Promise<void> {
  await send('DELETE', PATH)
  // Anew: nothing of what this person has seen or begun stays in the page.
  location.assign('/')
}

/** An operator looks at another account's library. */
export async function chooseAccount(account: string): Promise<void> {
  await send('POST', `${PATH}/account`, { account })
  await loadSession()
}
