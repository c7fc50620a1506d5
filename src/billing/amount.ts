// Credits as text and as integers: `12.5` ↔ 12500000 millionths. Never through a floating-point number on the way in.

import { CREDIT_MICROS } from './meters.ts'

/** At most nine digits before the point and six behind it; a sign is allowed. Undefined for anything else. */
export function parseCredits(text: string): number | undefined {
  const match = /^([+-]?)(\d{1,9})(?:\.(\d{1,6}))?$/.exec(text.trim())
  if (!match) return undefined
  const micros = Number(match[2]) * CREDIT_MICROS + Number((match[3] ?? '').padEnd(6, '0'))
  return match[1] === '-' ? -micros : micros
}

/** Exact, without trailing zeros. */
export function formatCredits(micros: number): string {
  const digits = String(Math.abs(micros)).padStart(7, '0')
  const fraction = digits.slice(-6).replace(/0+$/, '')
  return `${micros < 0 ? '-' : ''}${digits.slice(0, -6)}${fraction === '' ? '' : `.${fraction}`}`
}

/** The number that JSON answers carry: the double nearest to the exact value. */
export function creditsOf(micros: number): number {
  return micros / CREDIT_MICROS
}
