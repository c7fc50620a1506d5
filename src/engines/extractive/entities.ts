// People and places of a transcript: names found, mentions of one name put together, and each judged by all that is said
// around its mentions. Precision before recall: what is neither clearly a person nor clearly a place is left out.

import { caselessSpans } from './caseless-names.ts'
import { evidenceOf } from './name-evidence.ts'
import type { Evidence } from './name-shape.ts'
import { casingOf, nameSpans, type NameSpan } from './name-spans.ts'
import type { TaggedWord } from './tagged.ts'
import type { Entities, Entity } from './types.ts'

/** Evidence that a name needs; measured on the tuning set of the evaluation. */
const PERSON_MIN = 1.2
const PLACE_MIN = 1
const ENTITIES_MAX = 100

interface Candidate {
  name: string
  readonly tokens: readonly string[]
  readonly spans: NameSpan[]
  readonly evidence: Evidence
}

export interface NamedEntity extends Entity {
  /** Sentences it is named in, ascending. */
  readonly sentences: readonly number[]
}

export interface NamedEntities {
  readonly people: readonly NamedEntity[]
  readonly places: readonly NamedEntity[]
}

/** `sentences[i]` is the text of `tagged[i]`, `ranks[i]` how important it is. In order of first mention. */
export function findEntities(
  sentences: readonly string[],
  tagged: readonly (readonly TaggedWord[])[],
  ranks: readonly number[],
): NamedEntities {
  const casing = casingOf(tagged)
  const spans = casing.caseless
    ? caselessSpans(sentences, tagged)
    : tagged.flatMap((words, at) => nameSpans({ text: sentences[at] ?? '', words }, at, casing))
  const candidates = merge(group(spans, tagged))
  shareAmongNeighbours(candidates, tagged)
  const people: NamedEntity[] = []
  const places: NamedEntity[] = []
  for (const candidate of candidates) {
    const { person, place, other } = candidate.evidence
    const entity = (): NamedEntity => ({
      name: titled(candidate),
      context: contextOf(candidate, sentences, ranks),
      sentences: [...new Set(candidate.spans.map(({ sentence }) => sentence))],
    })
    if (person >= PERSON_MIN && person > place && person > other) people.push(entity())
    else if (place >= PLACE_MIN && place > person && place > other) places.push(entity())
  }
  return { people: people.slice(0, ENTITIES_MAX), places: places.slice(0, ENTITIES_MAX) }
}

/** A surname alone goes by its title, where one is said that belongs to it. */
function titled({ name, tokens, spans }: Candidate): string {
  const title = tokens.length > 1 ? undefined : spans.find((span) => span.title !== '')?.title
  return title === undefined ? name : `${title} ${name}`
}

export function plainEntities({ people, places }: NamedEntities): Entities {
  const plain = ({ name, context }: NamedEntity): Entity => ({ name, context })
  return { people: people.map(plain), places: places.map(plain) }
}

function group(spans: readonly NameSpan[], tagged: readonly (readonly TaggedWord[])[]): Candidate[] {
  const byName = new Map<string, Candidate>()
  for (const span of spans) {
    const key = span.name.toLowerCase()
    const found = byName.get(key) ?? {
      name: span.name,
      tokens: key.split(/[\s-]+/),
      spans: [],
      evidence: { person: 0, place: 0, other: 0 },
    }
    found.spans.push(span)
    add(found.evidence, evidenceOf(tagged[span.sentence] ?? [], span))
    byName.set(key, found)
  }
  return [...byName.values()].filter(
    ({ spans, evidence }) =>
      spans.some(({ doubtful }) => !doubtful) ||
      evidence.person >= 2 ||
      evidence.place >= 2 ||
      isPartOfAnother(spans, byName),
  )
}

function isPartOfAnother(spans: readonly NameSpan[], byName: ReadonlyMap<string, Candidate>): boolean {
  const token = spans[0]?.name.toLowerCase() ?? ''
  return [...byName.values()].some(({ tokens }) => tokens.length > 1 && tokens.includes(token))
}

function add(sum: Evidence, more: Evidence): void {
  sum.person += more.person
  sum.place += more.place
  sum.other += more.other
}

/** A first name or a surname alone is the one longer name that has it; "the Rhine" and "the river Rhine" are one too. */
function merge(candidates: readonly Candidate[]): Candidate[] {
  const longestFirst = candidates.toSorted((a, b) => b.tokens.length - a.tokens.length)
  const merged: Candidate[] = []
  for (const candidate of longestFirst) {
    const hosts = merged.filter((other) => isShortFormOf(candidate, other))
    const [host] = hosts
    if (!host || hosts.length > 1) {
      // Two of one family: the surname alone says nothing new, and is no third person.
      if (!host) merged.push(candidate)
      continue
    }
    host.spans.push(...candidate.spans)
    add(host.evidence, candidate.evidence)
  }
  const firstOf = ({ spans }: Candidate): number =>
    Math.min(...spans.map(({ sentence, from }) => sentence * 1000 + from))
  return merged.toSorted((a, b) => firstOf(a) - firstOf(b))
}

function isShortFormOf(short: Candidate, long: Candidate): boolean {
  if (short.tokens.length >= long.tokens.length) return false
  const joined = short.tokens.join(' ')
  const whole = long.tokens.join(' ')
  if (!whole.startsWith(`${joined} `) && !whole.endsWith(` ${joined}`)) return false
  // "New York" is no short form of "New York Avenue", nor of its team.
  const { person, place, other } = long.evidence
  return !(short.evidence.place >= 2 && (place > person || other > person))
}

/** "London and Paris", "Sweden, Norway and Finland": what is listed together is of one kind. */
function shareAmongNeighbours(
  candidates: readonly Candidate[],
  tagged: readonly (readonly TaggedWord[])[],
): void {
  const original = new Map(candidates.map((candidate) => [candidate, { ...candidate.evidence }]))
  for (const candidate of candidates) {
    for (const other of candidates) {
      if (other === candidate || !candidate.spans.some((a) => other.spans.some((b) => listed(a, b, tagged))))
        continue
      const evidence = original.get(other)
      if (!evidence) continue
      if (evidence.place > evidence.person) candidate.evidence.place += Math.min(1, evidence.place * 0.5)
      else if (evidence.person > evidence.place)
        candidate.evidence.person += Math.min(1, evidence.person * 0.5)
    }
  }
}

function listed(a: NameSpan, b: NameSpan, tagged: readonly (readonly TaggedWord[])[]): boolean {
  if (a.sentence !== b.sentence) return false
  const [left, right] = a.from < b.from ? [a, b] : [b, a]
  const words = tagged[a.sentence] ?? []
  const between = words
    .slice(left.to, right.from)
    .map(({ lower }) => lower)
    .join(' ')
  const comma = words[left.to]?.before === ','
  return (
    between === 'and' ||
    between === 'or' ||
    (between === '' && comma) ||
    (between === 'to' && words[left.from - 1]?.lower === 'from')
  )
}

const CONTEXT_WORDS = 24

/** The sentence that names it in full and says most. */
function contextOf(
  { name, spans }: Candidate,
  sentences: readonly string[],
  ranks: readonly number[],
): string {
  let best = ''
  let bestScore = -1
  for (const { sentence, name: mention } of spans) {
    const text = sentences[sentence] ?? ''
    const words = text.split(' ').length
    const score =
      (mention === name ? 0.5 : 0) +
      (ranks[sentence] ?? 0) * 0.5 +
      Math.min(words, CONTEXT_WORDS) / CONTEXT_WORDS -
      (text.endsWith('?') ? 0.5 : 0)
    if (score > bestScore) [best, bestScore] = [text, score]
  }
  return best
}
