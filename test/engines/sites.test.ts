// Manners: how many requests a site gets at a time, how far apart, and what follows its refusal.

import { expect, test } from 'bun:test'
import { createSites } from '../../src/engines/sites.ts'
import { Problem } from '../../src/lib/problem.ts'

const signal = new AbortController().signal
const refusal = (): Problem =>
  new Problem('metadata_fetch_failed', 'too many requests', { temporary: true, retryAfterS: 1 })

test('a site gets a few requests at a time, and another one its own', async () => {
  const sites = createSites({ pauseS: 0, width: 2 })
  let [active, most] = [0, 0]
  const ended = Promise.withResolvers<void>()
  const work = async (): Promise<void> => {
    most = Math.max(most, ++active)
    await ended.promise
    active--
  }
  const urls = ['https://www.a.example/1', 'https://m.a.example/2', 'https://a.example/3']
  const same = urls.map((url) => sites.run(url, work, signal))
  expect(await sites.run('https://b.example/', async () => 'at once', signal)).toBe('at once')
  expect(most).toBe(2)
  ended.resolve()
  await Promise.all(same)
  expect(most).toBe(2)
})

test('requests to one site are a little apart', async () => {
  const sites = createSites({ pauseS: 0.08, width: 4 })
  const times: number[] = []
  const work = async (): Promise<void> => void times.push(performance.now())
  await Promise.all([1, 2, 3].map(() => sites.run('https://a.example/', work, signal)))
  expect((times[2] ?? 0) - (times[0] ?? 0)).toBeGreaterThan(35)
})

test('after a refusal the request is made once more, later, and others wait with it', async () => {
  const sites = createSites({ pauseS: 0.02 })
  const startedAt = performance.now()
  let calls = 0
  const first = sites.run(
    'https://a.example/',
    async () => {
      if (++calls === 1) throw refusal()
      return performance.now() - startedAt
    },
    signal,
  )
  await Promise.resolve()
  expect(await first).toBeGreaterThan(90)
  expect(calls).toBe(2)
  const refused = sites.run('https://a.example/', () => Promise.reject(refusal()), signal)
  expect(await refused.catch((error: unknown) => error)).toMatchObject({ retryAfterS: 1 })
  const waitedFrom = performance.now()
  await sites.run('https://a.example/', async () => undefined, signal)
  // The second refusal in a row is worth twice as much.
  expect(performance.now() - waitedFrom).toBeGreaterThan(150)
})

test('other failures are not repeated, and whoever leaves does not wait', async () => {
  const sites = createSites({ pauseS: 60 })
  let calls = 0
  const failing = async (): Promise<never> => {
    calls++
    throw new Problem('video_not_found', 'gone')
  }
  await expect(sites.run('https://a.example/', failing, signal)).rejects.toThrow('gone')
  expect(calls).toBe(1)
  const leave = new AbortController()
  const waiting = sites.run('https://a.example/', failing, leave.signal)
  leave.abort(new Error('left'))
  await expect(waiting).rejects.toThrow('left')
})
