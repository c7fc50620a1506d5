// Profiles as yt-dlp lists them, page by page, against the stand-in for TikTok.

import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import type { ListEvent } from '../../src/engines/ytdlp-list.ts'
import { createMediaDeps, runningPrograms } from '../support/media-deps.ts'
import { startPlatformSite } from '../support/platform-site.ts'

setDefaultTimeout(60_000)

const site = await startPlatformSite()
const deps = await createMediaDeps(site.env)
const signal = new AbortController().signal
afterAll(async () => {
  await deps.close()
  await site.stop()
})

const ITEM_LIST = 'GET www.tiktok.com/api/creator/item_list/'
const profile = (name: string): string => `https://www.tiktok.com/@${name}`

async function list(name: string, enough: (event: ListEvent) => boolean): Promise<ListEvent[]> {
  const events: ListEvent[] = []
  for await (const event of deps.ytdlp.list(profile(name), { signal, pauseS: 0.3 })) {
    events.push(event)
    if (enough(event)) break
  }
  return events
}

const pagesAsked = (): number => site.requests.filter((request) => request === ITEM_LIST).length

test('entries come in order, each page announced before them', async () => {
  const events = await list('forty', () => false)
  const kinds = events.filter(({ kind }) => kind !== 'pause')
  expect(kinds.flatMap((event, index) => (event.kind === 'page' ? [[event.page, index]] : []))).toEqual([
    [1, 0],
    [2, 16],
    [3, 32],
  ])
  expect(kinds.length).toBe(43)
  expect(kinds[1]).toMatchObject({
    entry: { timestamp: 1_768_910_400, artists: ['Cheese Fan', 'Friend'], like_count: 0 },
  })
})

test('whoever has enough with the last entry of a page never asks for the next one', async () => {
  const before = pagesAsked()
  let entries = 0
  await list('thousand', ({ kind }) => kind === 'entry' && ++entries === 30)
  expect(pagesAsked() - before).toBe(2)
  expect(runningPrograms().filter((args) => args.includes('yt_dlp'))).toEqual([])
})

const REFUSALS = [
  ['private', 'content_restricted'],
  ['closed', 'content_restricted'],
  ['missing', 'video_unavailable'],
  ['limited', 'metadata_fetch_failed'],
  ['broken', 'metadata_fetch_failed'],
  ['interrupted', 'metadata_fetch_failed'],
] as const
for (const [name, code] of REFUSALS) {
  test(`a profile that is ${name} is ${code}`, async () => {
    const error: unknown = await list(name, () => false).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ code })
  })
}

test('a silent site is given up, and an abort ends at once; no process is left', async () => {
  const leave = new AbortController()
  const iterate = async (options: { signal: AbortSignal; stallMs?: number }): Promise<void> => {
    for await (const event of deps.ytdlp.list(profile('slow'), { pauseS: 0, ...options })) {
      if (event.kind === 'page' && options.stallMs === undefined) leave.abort(new Error('left'))
    }
  }
  const given: unknown = await iterate({ signal, stallMs: 2_000 }).catch((reason: unknown) => reason)
  expect(given).toMatchObject({ code: 'metadata_fetch_failed', temporary: true })
  const left: unknown = await iterate({ signal: leave.signal }).catch((reason: unknown) => reason)
  expect(left).toMatchObject({ message: 'left' })
  expect(runningPrograms().filter((args) => args.includes('yt_dlp'))).toEqual([])
})
