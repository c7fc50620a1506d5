// A transcript as subtitles, by the usual rules of the trade (Netflix Timed Text Style Guide, BBC Subtitle Guidelines): two
// lines of 42 columns, 5/6 to 7 seconds, 17 to 20 characters a second as far as the speech leaves room, broken by sense.
// Must stay true: no word is lost, cues ascend and never overlap.

import { breakCost, type SegmentWithWords, type Token, tokensOf } from './subtitle-tokens.ts'

export interface Cue {
  /** Seconds, whole milliseconds. */
  readonly start: number
  readonly end: number
  /** One or two. */
  readonly lines: readonly string[]
}

/** Columns of a line; an East Asian letter takes two. */
export const LINE_COLUMNS_MAX = 42
export const CUE_S = { min: 5 / 6, max: 7 }
/** Columns a second: what is aimed at, and what is taken before cues are joined. */
export const READING_SPEED = { wanted: 17, max: 20 }
/** How much before its first word a cue may be shown, so that it can be read. */
const LEAD_S = 0.5
/** Cues that follow each other this closely may be joined when one is too short to be read. */
const JOIN_GAP_S = 1

/** Times and tokens of a cue to be. */
interface Draft {
  readonly start: number
  readonly end: number
  readonly tokens: readonly Token[]
}

/** `durationS`: of the media, where it is known; no cue is made to last beyond. */
export function subtitlesOf(segments: readonly SegmentWithWords[], durationS = Infinity): Cue[] {
  const drafts = segments.flatMap((segment) => draftsOf(tokensOf(segment, LINE_COLUMNS_MAX)))
  return timed(joined(ascending(drafts), durationS), durationS).map(({ start, end, tokens }) => ({
    start: Math.round(start * 1_000) / 1_000,
    end: Math.round(end * 1_000) / 1_000,
    lines: linesOf(tokens),
  }))
}

interface Measure {
  /** Columns of a run of tokens. */
  readonly width: (from: number, to: number) => number
  /** Where the second line begins at the latest: `to` when one line is enough, undefined when two are not. */
  readonly secondLine: (from: number, to: number) => number | undefined
}

/** In constant time per question: a long recording has hundreds of thousands of tokens. */
function measure(tokens: readonly Token[]): Measure {
  const sums = [0]
  for (const token of tokens) sums.push((sums.at(-1) ?? 0) + token.width + (token.isSpaced ? 1 : 0))
  const width = (from: number, to: number): number =>
    (sums[to] ?? 0) - (sums[from] ?? 0) - (tokens[from]?.isSpaced ? 1 : 0)
  const lineEnds: number[] = []
  let end = 0
  for (const from of tokens.keys()) {
    end = Math.max(end, from + 1)
    while (end < tokens.length && width(from, end + 1) <= LINE_COLUMNS_MAX) end++
    lineEnds.push(end)
  }
  return {
    width,
    secondLine(from, to) {
      const line = Math.min(to, lineEnds[from] ?? to)
      return line === to || width(line, to) <= LINE_COLUMNS_MAX ? line : undefined
    },
  }
}

/** Costs in the unit of `breakCost`: a cue more is worth three ordinary breaks. */
const COST = { cue: 12, breakTimes: 4, secondLine: 1, tooShort: 10, columnTooFew: 2 }
/** A cue of less is better made of more of its neighbour. */
const COLUMNS_MIN = 14

/** The cheapest way to cut the tokens of a segment into cues that keep the limits. */
function draftsOf(tokens: readonly Token[]): Draft[] {
  const { width, secondLine } = measure(tokens)
  const best: { cost: number; from: number }[] = [{ cost: 0, from: 0 }]
  for (let to = 1; to <= tokens.length; to++) {
    let cheapest = { cost: Infinity, from: to - 1 }
    const [last, next] = [tokens[to - 1], tokens[to]]
    const breaks = last && next ? COST.breakTimes * breakCost(last, next) : 0
    for (let from = to - 1; from >= 0; from--) {
      const line = secondLine(from, to)
      if (line === undefined) break
      const lasts = (last?.end ?? 0) - (tokens[from]?.start ?? 0)
      if (lasts > CUE_S.max && from < to - 1) break
      const cost =
        (best[from]?.cost ?? 0) +
        COST.cue +
        breaks +
        (line < to ? COST.secondLine : 0) +
        (lasts < CUE_S.min ? COST.tooShort : 0) +
        COST.columnTooFew * Math.max(0, COLUMNS_MIN - width(from, to))
      if (cost < cheapest.cost) cheapest = { cost, from }
    }
    best.push(cheapest)
  }
  const drafts: Draft[] = []
  for (let to = tokens.length; to > 0; ) {
    const { from } = best[to] ?? { from: 0 }
    drafts.push(draftOf(tokens.slice(from, to)))
    to = from
  }
  return drafts.toReversed()
}

function draftOf(tokens: readonly Token[]): Draft {
  return { tokens, start: tokens[0]?.start ?? 0, end: tokens.at(-1)?.end ?? 0 }
}

/** Whatever the times of a transcript say: in order, and one after the other. */
function ascending(drafts: readonly Draft[]): Draft[] {
  let earliest = 0
  return drafts.map((draft) => {
    const start = Math.max(draft.start, earliest)
    const end = Math.max(start, draft.end)
    earliest = end
    return { ...draft, start, end }
  })
}

const widthOf = ({ tokens }: Draft): number => measure(tokens).width(0, tokens.length)

/** Whether there is not the time to read it, even if it stays until `until`. */
function isHurried(draft: Draft, until: number): boolean {
  const needs = Math.max(CUE_S.min, widthOf(draft) / READING_SPEED.max)
  return until - draft.start < needs
}

/** Joins neighbours of which one can't be read in its time, where both fit into one cue. */
function joined(drafts: readonly Draft[], durationS: number): Draft[] {
  const result: Draft[] = []
  for (const [index, draft] of drafts.entries()) {
    const before = result.at(-1)
    const until = drafts[index + 1]?.start ?? durationS
    const both = before && {
      ...draftOf([...before.tokens, ...draft.tokens]),
      start: before.start,
      end: draft.end,
    }
    if (both && fits(both) && draft.start - before.end <= JOIN_GAP_S) {
      if (isHurried(before, draft.start) || isHurried(draft, until)) {
        result[result.length - 1] = both
        continue
      }
    }
    result.push(draft)
  }
  return result
}

function fits({ tokens, start, end }: Draft): boolean {
  return end - start <= CUE_S.max && measure(tokens).secondLine(0, tokens.length) !== undefined
}

/** Gives each cue the time to be read that the silence around it allows. */
function timed(drafts: readonly Draft[], durationS: number): Draft[] {
  let freeFrom = 0
  return drafts.map((draft, index) => {
    const width = widthOf(draft)
    const until = Math.max(drafts[index + 1]?.start ?? Math.max(durationS, draft.end), draft.start)
    const wanted = Math.min(CUE_S.max, Math.max(CUE_S.min, width / READING_SPEED.wanted))
    const end = Math.min(until, Math.max(Math.min(draft.end, draft.start + CUE_S.max), draft.start + wanted))
    const lacks = Math.max(CUE_S.min, width / READING_SPEED.max) - (end - draft.start)
    const start = Math.max(freeFrom, draft.start - Math.min(LEAD_S, Math.max(0, lacks)))
    freeFrom = end
    return { ...draft, start, end }
  })
}

/** One line where it fits; else two, broken by sense and evenly, rather with the shorter one above. */
function linesOf(tokens: readonly Token[]): string[] {
  const { width, secondLine } = measure(tokens)
  if (width(0, tokens.length) <= LINE_COLUMNS_MAX) return [textOf(tokens)]
  let best = { cost: Infinity, at: secondLine(0, tokens.length) ?? tokens.length }
  for (const [at, token] of tokens.entries()) {
    const before = tokens[at - 1]
    const [above, below] = [width(0, at), width(at, tokens.length)]
    if (!before || above > LINE_COLUMNS_MAX || below > LINE_COLUMNS_MAX) continue
    const uneven = Math.abs(above - below) / 4 + (above > below ? 1 : 0)
    const cost = 2 * breakCost(before, token) + uneven
    if (cost < best.cost) best = { cost, at }
  }
  return [textOf(tokens.slice(0, best.at)), textOf(tokens.slice(best.at))].filter((line) => line !== '')
}

function textOf(tokens: readonly Token[]): string {
  return tokens.map(({ text, isSpaced }, index) => (isSpaced && index > 0 ? ` ${text}` : text)).join('')
}
