// An API key in listings, as JSON: everything but its text.

import { isoTime, isoTimeOrNull } from '../lib/time.ts'
import type { ApiKey } from './keys.ts'
import type { Permissions } from './permissions.ts'

export interface KeyRecord {
  readonly id: string
  readonly name: string
  /** The last characters of its text. */
  readonly hint: string
  readonly state: 'active' | 'revoked' | 'expired'
  readonly permissions: Permissions
  readonly created_at: string
  readonly last_used_at: string | null
  readonly expires_at: string | null
  readonly revoked_at: string | null
}

export function keyRecord(key: ApiKey, atMs: number): KeyRecord {
  return {
    id: key.id,
    name: key.name,
    hint: key.hint,
    state: stateOf(key, atMs),
    permissions: key.permissions,
    created_at: isoTime(key.createdAt),
    last_used_at: isoTimeOrNull(key.lastUsedAt ?? null),
    expires_at: isoTimeOrNull(key.expiresAt ?? null),
    revoked_at: isoTimeOrNull(key.revokedAt ?? null),
  }
}

function stateOf({ revokedAt, expiresAt }: ApiKey, atMs: number): KeyRecord['state'] {
  if (revokedAt !== undefined) return 'revoked'
  return expiresAt !== undefined && expiresAt <= atMs ? 'expired' : 'active'
}
