// Billing periods: from one monthly return of the anchor to the next, in UTC. Pure arithmetic on dates.
// An anchor on a day that a month lacks returns on that month's last day, and on its own day again afterwards.

export interface Period {
  /** First millisecond. */
  readonly startAt: number
  /** First millisecond of the next period. */
  readonly endAt: number
}

/** The period around `atMs`; the one that begins at the anchor for instants before it. */
export function periodAt(anchorAt: number, atMs: number): Period {
  const anchor = new Date(anchorAt)
  const at = new Date(Math.max(anchorAt, atMs))
  const months =
    (at.getUTCFullYear() - anchor.getUTCFullYear()) * 12 + at.getUTCMonth() - anchor.getUTCMonth()
  // In the month of `at`, the anchor may return only later than `at`.
  const index = monthsAfter(anchor, months) > at.getTime() ? months - 1 : months
  return { startAt: monthsAfter(anchor, index), endAt: monthsAfter(anchor, index + 1) }
}

function monthsAfter(anchor: Date, months: number): number {
  const year = anchor.getUTCFullYear()
  const month = anchor.getUTCMonth() + months
  const lastDay = new Date(Date.UTC(year, month + 1, 0)).getUTCDate()
  const day = Math.min(anchor.getUTCDate(), lastDay)
  const timeOfDayMs = anchor.getTime() - Date.UTC(year, anchor.getUTCMonth(), anchor.getUTCDate())
  return Date.UTC(year, month, day) + timeOfDayMs
}
