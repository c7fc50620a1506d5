// The entries of a profile, channel or playlist as yt-dlp finds them: one event each, in order, and one before each page
// that it asks the site for. Whoever has enough ends the iteration within the pause before the next page, and that page
// is never asked for.

import type { Program } from '../lib/process.ts'
import { MINUTE } from '../lib/time.ts'
import { ytdlpProblem } from './ytdlp-errors.ts'
import { type StartYtdlp, ytdlpLimits } from './ytdlp-process.ts'

export interface ListOptions {
  readonly signal: AbortSignal
  /** Between requests; what is left to stop before the next page. */
  readonly pauseS: number
  /** Given up when nothing comes for this long. Default 2 min. */
  readonly stallMs?: number
  /** Times made from "3 years ago", where a list tells no others. */
  readonly approximateDates?: boolean
}

export type ListEvent =
  /** The page with this number (from 1) is asked for now. */
  | { readonly kind: 'page'; readonly page: number }
  /** Everything of the page before has come. */
  | { readonly kind: 'pause' }
  /** The entry as yt-dlp printed it, an object; its shape is the reader's to check. */
  | { readonly kind: 'entry'; readonly entry: Readonly<Record<string, unknown>> }

const STALL_MS = 2 * MINUTE
/** An entry with a long description has a few kilobytes. */
const LINE_BYTES = 4 * 1_024 ** 2

/** Throws Problems with the contract's codes, or the signal's reason. */
export async function* listEntries(
  start: StartYtdlp,
  cwd: string,
  url: string,
  { signal, pauseS, stallMs = STALL_MS, approximateDates = false }: ListOptions,
): AsyncGenerator<ListEvent, void> {
  const stalled = new AbortController()
  const both = AbortSignal.any([signal, stalled.signal])
  // Messages go to the same stream as the entries, so that their order is known.
  const args = ['--dump-json', '--no-quiet', '--flat-playlist', '--lazy-playlist']
  if (approximateDates) args.push('--extractor-args', 'youtubetab:approximate_date')
  args.push('--sleep-requests', String(pauseS), '--', url)
  const program = await start({ args, limits: ytdlpLimits(3_600, 64 * 1_024 ** 2), cwd, signal: both })
  const watch = setTimeout(() => stalled.abort(), stallMs)
  try {
    for await (const line of linesOf(program)) {
      watch.refresh()
      const event = eventOf(line)
      if (event) yield event
    }
    const exitCode = await program.exited
    both.throwIfAborted()
    if (exitCode !== 0) throw ytdlpProblem(program.stderrTail(), `The list at ${url}`)
  } catch (error) {
    signal.throwIfAborted()
    if (stalled.signal.aborted) throw ytdlpProblem('ERROR: timed out', `The list at ${url}`)
    throw error
  } finally {
    clearTimeout(watch)
    program.kill()
    await program.exited
  }
}

async function* linesOf(program: Program): AsyncGenerator<string, void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of program.stdout) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > LINE_BYTES) throw new RangeError('yt-dlp printed a line without end')
    yield* lines
  }
  if (rest !== '') yield rest
}

function eventOf(line: string): ListEvent | undefined {
  if (line.startsWith('{')) return { kind: 'entry', entry: JSON.parse(line) as Record<string, unknown> }
  const page = /^\[[\w:.+-]+\] .*\bDownloading (?:\w+ )*page (\d+)$/.exec(line)?.[1]
  if (page !== undefined) return { kind: 'page', page: Number(page) }
  return /^\[[\w:.+-]+\] Sleeping [\d.]+ seconds/.test(line) ? { kind: 'pause' } : undefined
}
