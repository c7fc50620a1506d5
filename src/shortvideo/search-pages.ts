// Keyword search has no extractor and no public interface: a browser opens the platform's own search page, which fetches
// its first results itself; further ones are fetched from within that page, as its scripts would, several at a time.

import type { Page, Response as PageResponse } from 'playwright-core'
import type { BrowserEngine } from '../engines/browser.ts'
import { Problem } from '../lib/problem.ts'
import { SECOND, sleep } from '../lib/time.ts'
import { type SearchPage, searchPageOf } from './search-item.ts'

export interface SearchOptions {
  readonly query: string
  /** Fetches at a time. */
  readonly slices: number
  readonly pagesMax: number
  /** Between the fetches of one slice. */
  readonly pauseS: number
  readonly signal: AbortSignal
  /** `index`: its place among the pages, from 0; they may come out of order. False: enough. */
  readonly onPage: (page: SearchPage, index: number) => boolean
}

const SEARCH_API = /\/api\/search\/(?:item|general)\/full\//
const FIRST_ANSWER_MS = 30 * SECOND
const GOTO_MS = 30 * SECOND
const WALL_LOOK_MS = SECOND / 2
const ANSWER_CHARS = 8 * 1_024 ** 2
/** Where a platform's answer does not say how many results a page has. */
const PAGE_SIZE = 12

const ADVICE =
  'Platforms do this to visitors from data centres and to those who ask often: try again later, or run Earshot where people browse from'

/** Throws Problems, or the signal's reason. */
export function searchPages(browser: BrowserEngine, options: SearchOptions): Promise<void> {
  return browser.session(
    async (session) => {
      const page = await session.newPage()
      const first = await openSearch(page, options.query)
      let more = options.onPage(first.answer, 0) && first.answer.hasMore
      let next = 1
      const slice = async (): Promise<void> => {
        while (more && next < options.pagesMax) {
          const index = next++
          await sleep(options.pauseS * SECOND, options.signal)
          if (!more) return
          const answer = await fetchPage(page, pageUrl(first, index))
          if (!options.onPage(answer, index) || !answer.hasMore) more = false
        }
      }
      await Promise.all(Array.from({ length: options.slices }, slice))
    },
    { signal: options.signal },
  )
}

interface First {
  /** What the page itself asked for. */
  readonly url: string
  readonly answer: SearchPage
}

async function openSearch(page: Page, query: string): Promise<First> {
  const answered = page.waitForResponse((response) => SEARCH_API.test(response.url()), {
    timeout: FIRST_ANSWER_MS,
  })
  // Whether it comes is asked below; while the page loads nobody listens.
  answered.catch(() => undefined)
  const address = `https://www.tiktok.com/search/video?q=${encodeURIComponent(query)}`
  const loaded = await page
    .goto(address, { waitUntil: 'domcontentloaded', timeout: GOTO_MS })
    .catch(asUnreachable)
  if (loaded?.status() === 429) throw limited()
  await refuseWalls(page)
  const response = await awaitAnswer(page, answered)
  if (!response) {
    await refuseWalls(page)
    throw blocked('did not give its results to this server')
  }
  return { url: response.url(), answer: answerOf(response.status(), await response.text()) }
}

/** undefined when none comes. A wall that comes up after the page has loaded ends the wait early. */
async function awaitAnswer(page: Page, answered: Promise<PageResponse>): Promise<PageResponse | undefined> {
  const settled = answered.catch(() => undefined)
  for (;;) {
    const outcome = await Promise.race([settled, sleep(WALL_LOOK_MS).then(() => 'waiting' as const)])
    if (outcome !== 'waiting') return outcome
    await refuseWalls(page)
  }
}

async function refuseWalls(page: Page): Promise<void> {
  if (new URL(page.url()).pathname.startsWith('/login')) throw blocked('asks visitors to log in')
  const wall = await page.locator('[id*="captcha" i], [class*="captcha" i]').count()
  if (wall > 0) throw blocked('asks visitors to prove that they are human')
}

/** From within the page, so that its scripts sign it and its cookies go along. */
async function fetchPage(page: Page, url: string): Promise<SearchPage> {
  const { status, body } = await page.evaluate(async (address) => {
    const response = await fetch(address, { credentials: 'include' })
    return { status: response.status, body: await response.text() }
  }, url)
  return answerOf(status, body)
}

function pageUrl({ url, answer }: First, index: number): string {
  const next = new URL(url)
  const size = answer.cursor ?? (answer.items.length > 0 ? answer.items.length : PAGE_SIZE)
  const offset = String(index * size)
  for (const name of ['offset', 'cursor'])
    if (next.searchParams.has(name)) next.searchParams.set(name, offset)
  if (!next.searchParams.has('offset') && !next.searchParams.has('cursor'))
    next.searchParams.set('offset', offset)
  return next.href
}

function answerOf(status: number, body: string): SearchPage {
  if (status === 429) throw limited()
  const answer = status === 200 && body.length <= ANSWER_CHARS ? searchPageOf(jsonOf(body)) : undefined
  if (!answer) {
    const message = 'The search answered with something that cannot be read; try again later'
    throw new Problem('metadata_fetch_failed', message, { temporary: true, cause: `HTTP ${status}` })
  }
  if (answer.statusCode !== 0) throw blocked(`refused the search (its code ${answer.statusCode})`)
  return answer
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}

function blocked(what: string): Problem {
  return new Problem('metadata_fetch_failed', `The platform ${what}. ${ADVICE}`)
}

function limited(): Problem {
  return new Problem(
    'metadata_fetch_failed',
    `The platform limits how often this server may ask. ${ADVICE}`,
    {
      temporary: true,
    },
  )
}

function asUnreachable(cause: unknown): never {
  // A browser that has ended is told apart by whoever runs the session.
  if (!/net::|Timeout/.test(String(cause))) throw cause
  throw new Problem(
    'metadata_fetch_failed',
    'The platform’s search page could not be loaded; try again later',
    {
      temporary: true,
      cause,
    },
  )
}
