// Links that work without an API key, for a while: HMAC-SHA256 over path and expiry, with a secret that only this server
// knows. This file alone touches the table server_secrets.

import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Db } from '../db/database.ts'
import { randomText } from '../lib/id.ts'
import { Problem } from '../lib/problem.ts'
import { SECOND } from '../lib/time.ts'

export interface SigningContext {
  readonly db: Db
  readonly now: () => number
}

export interface Link {
  /** Scheme and host, without a slash at the end. */
  readonly base: string
  /** With its leading slash, as it will be asked for. */
  readonly path: string
  /** Epoch ms; counted in whole seconds. */
  readonly expiresAt: number
}

const SECRET = 'signed-url'
const SECRET_LENGTH = 43

export function signUrl(context: SigningContext, { base, path, expiresAt }: Link): string {
  const expires = String(Math.floor(expiresAt / SECOND))
  return `${base}${path}?expires=${expires}&signature=${signatureOf(context, path, expires)}`
}

/** Throws Problem `access_denied` for a link that was not made by `signUrl`, or is past its time. */
export function checkSignedUrl(context: SigningContext, url: URL): void {
  const expires = url.searchParams.get('expires') ?? ''
  const sent = Buffer.from(url.searchParams.get('signature') ?? '')
  const expected = Buffer.from(signatureOf(context, url.pathname, expires))
  if (sent.length !== expected.length || !timingSafeEqual(sent, expected)) {
    throw new Problem('access_denied', 'This link is not complete or was changed. Ask for a new one.')
  }
  if (Number(expires) * SECOND <= context.now()) {
    throw new Problem('access_denied', 'This link has expired. Ask for a new one.')
  }
}

function signatureOf(context: SigningContext, path: string, expires: string): string {
  return createHmac('sha256', secretOf(context)).update(`${path}\n${expires}`).digest('base64url')
}

/** What only this server can have made of `text`. `purpose` keeps uses apart: a code of one is none of another. */
export function codeOf(context: SigningContext, purpose: string, text: string): Buffer {
  return createHmac('sha256', secretOf(context)).update(`${purpose}\0${text}`).digest()
}

/** Made when it is first needed; whoever comes second gets the first one's. */
function secretOf({ db, now }: SigningContext): string {
  const find = db.query<{ value: string }, [{ name: string }]>(
    'select value from server_secrets where name = $name',
  )
  const known = find.get({ name: SECRET })
  if (known) return known.value
  db.query(
    `insert into server_secrets (name, value, created_at) values ($name, $value, $now) on conflict do nothing`,
  ).run({ name: SECRET, value: randomText(SECRET_LENGTH), now: now() })
  const made = find.get({ name: SECRET })
  if (!made) throw new Error('the secret for links could not be stored')
  return made.value
}
