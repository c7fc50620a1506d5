// Numbers and instants as people read them, in the browser's own language where that matters.

/** Seconds → `4:07` or `1:02:45`. */
export function clock(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const parts = [Math.floor(whole / 3600), Math.floor(whole / 60) % 60, whole % 60]
  const shown = parts[0] === 0 ? parts.slice(1) : parts
  return shown.map((part, index) => (index === 0 ? String(part) : String(part).padStart(2, '0'))).join(':')
}

const UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

/** As the API counts: 1 KB = 1,024 bytes. */
export function bytes(count: number): string {
  let value = count
  let unit = 0
  while (value >= 1024 && unit < UNITS.length - 1) {
    value /= 1024
    unit++
  }
  const digits = unit === 0 || value >= 100 ? 0 : 1
  return `${value.toFixed(digits)} ${UNITS[unit] ?? ''}`
}

export function number(value: number): string {
  return value.toLocaleString()
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${number(count)} ${count === 1 ? one : many}`
}

const AGES: readonly (readonly [number, Intl.RelativeTimeFormatUnit])[] = [
  [60, 'second'],
  [3_600, 'minute'],
  [86_400, 'hour'],
  [7 * 86_400, 'day'],
]
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' })
const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' })

/** `3 minutes ago`; a date after a week. */
export function ago(iso: string, nowMs: number = Date.now()): string {
  const atMs = Date.parse(iso)
  const seconds = Math.round((atMs - nowMs) / 1_000)
  let divisor = 1
  for (const [limit, unit] of AGES) {
    if (Math.abs(seconds) < limit) return relative.format(Math.round(seconds / divisor), unit)
    divisor = limit
  }
  return day.format(atMs)
}

export function dateTime(iso: string): string {
  return full.format(Date.parse(iso))
}
