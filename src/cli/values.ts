// Values of command-line options: strict readers whose failures are usage errors (exit code 2).

import { InvalidArgumentError } from 'commander'
import { parsePermissions, PERMISSIONS, type Permissions } from '../accounts/permissions.ts'
import { findPlan, type Plan, PLANS } from '../accounts/plans.ts'
import { parseDuration } from '../lib/time.ts'

/** `30s`, `15m`, `24h`, `7d` → milliseconds. */
export function durationValue(text: string): number {
  const durationMs = parseDuration(text)
  if (durationMs === undefined)
    throw new InvalidArgumentError('Write a duration such as 30s, 15m, 24h or 7d.')
  return durationMs
}

/** `2027-01-31` (midnight UTC) or an ISO date and time with zone → epoch milliseconds. */
export function dateValue(text: string): number {
  const match = /^(\d{4}-\d{2}-\d{2})(T\d{2}:\d{2}(:\d{2}(\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2}))?$/.exec(text)
  const atMs = match ? Date.parse(text) : Number.NaN
  const day = match?.[1] ?? ''
  // Some engines take 31 February for 3 March.
  if (Number.isNaN(atMs) || new Date(`${day}T00:00:00Z`).toISOString().slice(0, 10) !== day) {
    throw new InvalidArgumentError('Write a date such as 2027-01-31 or 2027-01-31T18:00Z.')
  }
  return atMs
}

export function permissionsValue(text: string): Permissions {
  const permissions = parsePermissions(text)
  if (permissions) return permissions
  throw new InvalidArgumentError(
    `Write "all", or some of these, separated by ",": ${PERMISSIONS.join(', ')}.`,
  )
}

export function planValue(text: string): Plan {
  const plan = findPlan(text)
  if (plan) return plan
  throw new InvalidArgumentError(`The plans are ${PLANS.join(', ')}.`)
}

/** A whole number from `min` to `max`. */
export const wholeNumberValue =
  (min: number, max: number) =>
  (text: string): number => {
    const number = Number(text)
    if (/^\d+$/.test(text) && number >= min && number <= max) return number
    throw new InvalidArgumentError(`Write a whole number from ${min} to ${max}.`)
  }
