// The limiter by itself, with a clock that the test moves: the window slides, bans end, memory stays bounded.

import { expect, test } from 'bun:test'
import { createLimiter, type Limiter } from '../../src/accounts/limiter.ts'
import { ENDPOINT_RATES, isTaskPoll, rateOf } from '../../src/accounts/limits.ts'
import { parseRates } from '../../src/lib/rates.ts'
import { MINUTE, SECOND } from '../../src/lib/time.ts'

let atMs = 0
const now = () => atMs
const bans = { bans: true }

function fresh(banMs = MINUTE, windowsMax?: number): Limiter {
  atMs = Date.UTC(2026, 0, 1)
  return createLimiter({ now, banMs, ...(windowsMax === undefined ? {} : { windowsMax }) })
}

/** How many of `times` requests are allowed. */
function allowed(limiter: Limiter, times: number, client = 'a', endpoint = 'POST /x', rate = 3): number {
  let count = 0
  for (let i = 0; i < times; i++) if (limiter.count(client, endpoint, rate, bans).allowed) count++
  return count
}

test('the window slides: what left it makes room, one by one', () => {
  const limiter = fresh(0)
  expect(allowed(limiter, 1)).toBe(1)
  atMs += 20 * SECOND
  expect(allowed(limiter, 2)).toBe(2)
  atMs += 40 * SECOND - 1
  expect(limiter.count('a', 'POST /x', 3, { bans: false })).toMatchObject({ allowed: false })
  // That one counts although it was refused: of the last three, the first leaves after 20 seconds.
  atMs += 20 * SECOND
  expect(limiter.count('a', 'POST /x', 3, bans)).toEqual({
    allowed: false,
    banned: false,
    remaining: 0,
    waitMs: 1,
  })
})

test('what is left and how long it takes are told exactly', () => {
  const limiter = fresh()
  const left = () => limiter.count('a', 'GET /y', 3, bans)
  expect(left()).toEqual({ allowed: true, banned: false, remaining: 2, waitMs: MINUTE })
  atMs += 15 * SECOND
  expect(left()).toEqual({ allowed: true, banned: false, remaining: 1, waitMs: 45 * SECOND })
  atMs += 45 * SECOND
  expect(left()).toEqual({ allowed: true, banned: false, remaining: 1, waitMs: 15 * SECOND })
})

test('exceeding bans the client everywhere, for a minute, however often it asks meanwhile', () => {
  const limiter = fresh()
  expect(allowed(limiter, 4)).toBe(3)
  atMs += 30 * SECOND
  expect(allowed(limiter, 1_000, 'a', 'GET /other', 200)).toBe(0)
  expect(limiter.count('a', 'GET /other', 200, bans)).toEqual({
    allowed: false,
    banned: true,
    remaining: 0,
    waitMs: 30 * SECOND,
  })
  expect(allowed(limiter, 3, 'b')).toBe(3)
  atMs += 30 * SECOND - 1
  expect(allowed(limiter, 1, 'a', 'GET /other', 200)).toBe(0)
  atMs += 1
  // Waiting as long as told is enough, at both endpoints.
  expect(allowed(limiter, 201, 'a', 'GET /other', 200)).toBe(200)
  expect(allowed(fresh(), 3)).toBe(3)
})

test('a ban shorter than the window does not open the window', () => {
  const limiter = fresh(2 * SECOND)
  expect(allowed(limiter, 4)).toBe(3)
  atMs += 2 * SECOND
  expect(allowed(limiter, 1, 'a', 'GET /other', 1)).toBe(1)
  expect(limiter.count('a', 'POST /x', 3, bans)).toMatchObject({
    allowed: false,
    banned: false,
    waitMs: 58 * SECOND,
  })
})

test('a clock that is set back holds nothing against anybody', () => {
  const limiter = fresh()
  expect(allowed(limiter, 3)).toBe(3)
  atMs -= 60 * MINUTE
  expect(allowed(limiter, 3)).toBe(3)
})

test('a flood holds no more than the rate in memory, and idle windows go', () => {
  const limiter = fresh(0, 50)
  for (let i = 0; i < 1_000; i++) limiter.count(`client ${i}`, 'POST /x', 3, { bans: false })
  expect(limiter.size).toBeLessThanOrEqual(51)
  atMs += MINUTE
  limiter.count('a', 'POST /x', 3, bans)
  expect(limiter.size).toBe(1)
  // An old client that was forgotten for space starts anew; one in its window is exact.
  for (let i = 0; i < 100_000; i++) limiter.count('a', 'POST /x', 3, { bans: false })
  expect(limiter.count('a', 'POST /x', 3, { bans: false })).toMatchObject({ allowed: false, waitMs: MINUTE })
})

test('over hours of random traffic it decides like a plain count over the last minute', () => {
  const limiter = fresh(0)
  const log: number[] = []
  let seed = 7
  for (let i = 0; i < 20_000; i++) {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    atMs += seed % 9_000
    const recent = log.filter((at) => at > atMs - MINUTE)
    const decision = limiter.count('a', 'POST /x', 10, { bans: false })
    expect(decision.allowed).toBe(recent.length < 10)
    log.push(atMs)
    if (log.length > 40) log.shift()
  }
})

test('rates: the account first, then the settings, then the table, then reads and writes', () => {
  expect(ENDPOINT_RATES['POST /transcribe']).toBe(20)
  expect(rateOf('POST /transcribe', [undefined, {}])).toBe(20)
  expect(rateOf('GET /namespaces', [])).toBe(200)
  expect(rateOf('DELETE /namespaces/{id}', [])).toBe(60)
  const settings = parseRates(' POST /transcribe=5 , GET /v1/files = 7')
  expect(rateOf('POST /transcribe', [undefined, settings])).toBe(5)
  expect(rateOf('GET /files', [{ 'POST /transcribe': 9 }, settings])).toBe(7)
  expect(rateOf('POST /transcribe', [{ 'POST /transcribe': 9 }, settings])).toBe(9)
  expect(rateOf('POST /transcribe', ['off', settings])).toBeUndefined()
  expect(rateOf('GET /transcribe/{task_id}', [{ 'GET /transcribe/{task_id}': 1 }])).toBeUndefined()
  expect(isTaskPoll('POST /transcribe')).toBe(false)
})

test('a list of rates that makes no sense is refused', () => {
  for (const text of [
    'POST /transcribe',
    'POST /transcribe=0',
    'FETCH /x=1',
    'POST transcribe=1',
    'off,GET /x=1',
  ]) {
    expect(() => parseRates(text)).toThrow('which is not an endpoint')
  }
  expect(parseRates('off')).toBe('off')
  expect(parseRates('')).toEqual({})
})
