// Cues of caption files → clean segments: no markup, no entities, no line that a rolling display repeats, ascending
// times that never overlap.

import { decodeEntities } from './entities.ts'
import type { Segment } from './transcripts.ts'

/** What a caption file shows for a while. */
export interface Cue {
  readonly startMs: number
  readonly endMs: number
  /** As they stand in the file, markup included. */
  readonly lines: readonly string[]
}

export interface CueOptions {
  /** Heard by a machine: such tracks roll, so every line that was there before is a repetition. */
  readonly automatic: boolean
}

/** Cues that follow each other this closely belong to one display. */
const ADJACENT_MS = 100
/** What is shown shorter than a blink only holds the last line until the next one comes. */
const SHORTEST_MS = 20

interface Clean {
  startMs: number
  endMs: number
  text: string
}

/** Seconds with at most 3 decimals. Cues without text or with impossible times are left out. */
export function segmentsOfCues(cues: readonly Cue[], { automatic }: CueOptions): Segment[] {
  const clean: Clean[] = []
  let before: { readonly endMs: number; readonly lines: readonly string[] } = { endMs: -Infinity, lines: [] }
  const usable = cues.filter(({ startMs, endMs }) => startMs >= 0 && endMs > startMs)
  for (const { startMs, endMs, lines } of usable.toSorted((a, b) => a.startMs - b.startMs)) {
    const texts = lines.map(plainText).filter((line) => line !== '')
    if (texts.length === 0) continue
    const adjacent = startMs - before.endMs < ADJACENT_MS
    const fresh = adjacent ? texts.slice(repeated(before.lines, texts, automatic)) : texts
    const last = clean.at(-1)
    if (fresh.length > 0) clean.push({ startMs, endMs, text: fresh.join(' ') })
    else if (last && endMs - startMs > SHORTEST_MS) last.endMs = Math.max(last.endMs, endMs)
    before = { endMs: Math.max(before.endMs, endMs), lines: texts }
  }
  return inOrder(clean)
}

/** How many of the first lines were shown just before. A single line said twice in written captions is said twice. */
function repeated(before: readonly string[], lines: readonly string[], automatic: boolean): number {
  const most = automatic ? lines.length : lines.length - 1
  for (let count = Math.min(most, before.length); count > 0; count--) {
    const tail = before.slice(-count)
    if (tail.every((line, index) => line === lines[index])) return count
  }
  return 0
}

/** Each ends when the next begins; those that begin together become one. */
function inOrder(cues: readonly Clean[]): Segment[] {
  const joined: Clean[] = []
  for (const cue of cues) {
    const last = joined.at(-1)
    if (last && cue.startMs <= last.startMs) {
      last.text = `${last.text} ${cue.text}`
      last.endMs = Math.max(last.endMs, cue.endMs)
    } else {
      if (last) last.endMs = Math.min(last.endMs, cue.startMs)
      joined.push({ ...cue })
    }
  }
  return joined.map(({ text, startMs, endMs }) => ({
    text,
    start: Math.round(startMs) / 1_000,
    end: Math.round(endMs) / 1_000,
  }))
}

/** Tags: `<i>`, `<00:00:01.000>`, `<c.colour>`; and the braces of SubRip's kin: `{\an8}`. */
const MARKUP = /<\/?[a-z][^<>]*>|<[\d:.]+>|\{\\[^{}]*\}/gi
/** Direction marks, zero-width spaces, byte-order marks, and control characters. */
// oxlint-disable-next-line no-control-regex -- they are what is taken out
const INVISIBLE = /[\u0000-\u0008\u000b-\u001f\u007f\u200b\u200e\u200f\u202a-\u202e\u2060\ufeff]/g

function plainText(line: string): string {
  const bare = decodeEntities(line.replaceAll(MARKUP, '')).replaceAll(INVISIBLE, '')
  return bare.replaceAll(/\s+/g, ' ').trim()
}
