// The cookie that carries a session's token: for this host only, unreadable for scripts, never sent from other sites.

import type { Config } from '../config.ts'
import { SECOND } from '../lib/time.ts'
import { SESSION_IDLE_MS } from './sessions.ts'

const NAME = 'earshot_session'

type CookieConfig = Pick<Config, 'publicUrl'>

/** The token; undefined when there is none. The first of several counts. */
export function sessionToken(request: Request): string | undefined {
  for (const part of (request.headers.get('cookie') ?? '').split(';')) {
    const [name, value] = part.trim().split('=')
    if (name === NAME && value !== undefined && value !== '') return value
  }
  return undefined
}

/** Value of Set-Cookie. `Secure` where clients come over https: on plain http the browser would drop it. */
export function sessionCookie(config: CookieConfig, token: string): string {
  return cookie(config, token, SESSION_IDLE_MS / SECOND)
}

export function expiredCookie(config: CookieConfig): string {
  return cookie(config, '', 0)
}

function cookie({ publicUrl }: CookieConfig, token: string, maxAgeS: number): string {
  const secure = publicUrl?.toLowerCase().startsWith('https:') === true ? '; Secure' : ''
  return `${NAME}=${token}; Path=/; HttpOnly; SameSite=Strict; Max-Age=${maxAgeS}${secure}`
}
