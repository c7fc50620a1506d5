// How deliveries prove where they come from: HMAC-SHA256 over the time and the exact bytes that are sent.

import { createHmac } from 'node:crypto'

/**
 * The header `X-Service-Signature`: `t=<unix seconds>,v1=<hex>`, with one `v1` per secret – two while a rotation is under
 * way. `v1` is the HMAC-SHA256 of `<t>.<body>`, keyed with the whole text of the secret.
 */
export function signatureHeader(secrets: readonly string[], atMs: number, body: string): string {
  const t = Math.floor(atMs / 1_000)
  const signatures = secrets.map(
    (secret) => `v1=${createHmac('sha256', secret).update(`${t}.${body}`).digest('hex')}`,
  )
  return [`t=${t}`, ...signatures].join(',')
}
