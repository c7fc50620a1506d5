// Every name of a transcript with all the places where it is said: people and places as they were found, and all other
// capitalised names — of ships, companies, bands, books — which are neither.

import type { NamedEntities } from './entities.ts'
import { casingOf, nameSpans } from './name-spans.ts'
import { type Reading, type Stretch, stretchOf } from './reading.ts'

export type NameKind = 'person' | 'place' | 'other'

export interface Mention extends Stretch {
  /** Offsets in the sentence. */
  readonly start: number
  readonly end: number
}

export interface SaidName {
  /** As it is said in full, somewhere. */
  readonly name: string
  readonly kind: NameKind
  readonly mentions: readonly Mention[]
}

const known = new WeakMap<Reading, readonly SaidName[]>()

/** In order of first mention; found once for all fields. */
export function saidNames(reading: Reading): readonly SaidName[] {
  const names = known.get(reading) ?? findNames(reading)
  known.set(reading, names)
  return names
}

function findNames(reading: Reading): SaidName[] {
  const { tagged, index, entities } = reading.document
  const casing = casingOf(tagged)
  const found = new Map<string, { name: string; kind: NameKind; mentions: Mention[] }>()
  for (const [sentence, { text, index: at }] of index.sentences.entries()) {
    const words = tagged[at] ?? []
    for (const span of nameSpans({ text, words }, at, casing)) {
      const [first, last] = [words[span.from], words[span.to - 1]]
      if (!first || !last || (span.doubtful && !isKnown(span.name, entities))) continue
      const { name, kind } = whose(span.name, entities, at)
      const mention = {
        ...stretchOf(reading, sentence, first.start, last.end),
        start: first.start,
        end: last.end,
      }
      const key = `${kind} ${name.toLowerCase()}`
      const entry = found.get(key) ?? { name, kind, mentions: [] }
      entry.mentions.push(mention)
      found.set(key, entry)
    }
  }
  return [...found.values()]
}

function isKnown(name: string, { people, places }: NamedEntities): boolean {
  return [...people, ...places].some((entity) => isPartOf(name, entity.name))
}

/** The person or place that is meant by a name, in full. */
function whose(
  name: string,
  { people, places }: NamedEntities,
  sentence: number,
): { name: string; kind: NameKind } {
  const matching = (list: NamedEntities['people']): string | undefined =>
    list.find((entity) => entity.name === name)?.name ??
    list.find((entity) => entity.sentences.includes(sentence) && isPartOf(name, entity.name))?.name
  const person = matching(people)
  if (person !== undefined) return { name: person, kind: 'person' }
  const place = matching(places)
  if (place !== undefined) return { name: place, kind: 'place' }
  return { name, kind: 'other' }
}

function isPartOf(short: string, whole: string): boolean {
  const [part, all] = [short.toLowerCase(), whole.toLowerCase()]
  return part === all || all.startsWith(`${part} `) || all.endsWith(` ${part}`) || part.endsWith(` ${all}`)
}
