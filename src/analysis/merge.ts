// Findings of several parts as one: a person named twice is one entry, and every name must be found in the transcript.

import type { Entity, Importance, KeySubject } from '../engines/extractive/types.ts'
import type { Segments } from './engine.ts'

const ENTITIES_MAX = 30
const SUBJECTS_MAX = 10
const CONTEXT_CHARACTERS_MAX = 300

export interface NamedAt {
  readonly name: string
  readonly segment: number
}

/** Names that nobody says are dropped; the context is the segment's own text. First named, first listed. */
export function mergeEntities(found: readonly NamedAt[], segments: Segments): Entity[] {
  const spoken = segments.map(({ text }) => folded(text))
  const kept: { words: string; name: string; segment: number }[] = []
  for (const { name, segment } of found) {
    const words = folded(name)
    if (words === '') continue
    const at = says(spoken[segment] ?? '', words) ? segment : spoken.findIndex((text) => says(text, words))
    if (at < 0) continue
    const same = kept.find((other) => isSameName(other.words, words))
    if (!same) kept.push({ words, name: name.trim(), segment: at })
    else if (words.length > same.words.length) {
      same.words = words
      same.name = name.trim()
    }
  }
  return kept.slice(0, ENTITIES_MAX).map(({ name, segment }) => ({
    name,
    context: clipped(segments[segment]?.text ?? '', CONTEXT_CHARACTERS_MAX),
  }))
}

/** Whole words, in scripts that put spaces between them. */
function says(text: string, words: string): boolean {
  return SPACED.test(words) ? ` ${text} `.includes(` ${words} `) : text.includes(words)
}

const SPACED = /[\p{scx=Latin}\p{scx=Cyrillic}\p{scx=Greek}\p{scx=Arabic}\p{scx=Hebrew}\p{N}]/u

/** `Ada Lovelace` is also `Lovelace` and `Ada`; whole words only. */
function isSameName(a: string, b: string): boolean {
  const [long, short] = a.length >= b.length ? [a, b] : [b, a]
  return ` ${long} `.includes(` ${short} `)
}

const RANK: Readonly<Record<Importance, number>> = { high: 0, medium: 1, low: 2 }

/** The most important first; what several parts speak of keeps the highest importance it was given. */
export function mergeSubjects(found: readonly KeySubject[]): KeySubject[] {
  const merged = new Map<string, KeySubject>()
  for (const subject of found) {
    const key = folded(subject.name)
    if (key === '') continue
    const known = merged.get(key)
    if (!known) merged.set(key, subject)
    else if (RANK[subject.importance] < RANK[known.importance]) {
      merged.set(key, { ...known, importance: subject.importance })
    }
  }
  return [...merged.values()]
    .toSorted((a, b) => RANK[a.importance] - RANK[b.importance])
    .slice(0, SUBJECTS_MAX)
}

/** Lower-case words with one space between them, without marks and accents. */
function folded(text: string): string {
  return text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .toLowerCase()
    .replaceAll(/['’]s\b/g, '')
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()
}

/** Ends at a word. */
export function clipped(text: string, max: number): string {
  const clean = text.trim()
  if (clean.length <= max) return clean
  const cut = clean.slice(0, max - 1)
  return `${cut.slice(0, Math.max(cut.lastIndexOf(' '), max / 2))}…`.toWellFormed()
}
