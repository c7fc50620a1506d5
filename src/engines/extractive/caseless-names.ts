// Names in a transcript without capitals, as some recognisers write: usual first names and known places, and unknown words
// where only a name can stand ("my name is", "the mayor", "in"). What is unknown is told by the tagger's dictionary.

import { isEnglishWord, isGivenName, isKnownPlace } from './name-knowledge.ts'
import type { NameSpan } from './name-spans.ts'
import { HONORIFIC, KEPT_TITLE, KIN_OR_ROLE, NAME_AND_WORD, PLACE_HEAD } from './name-words.ts'
import { dictionaryTags, hasTag, type TaggedWord } from './tagged.ts'
import { isStopWord } from './words.ts'

type Words = readonly TaggedWord[]

/** What is known of a transcript as a whole. */
interface Seen {
  /** Words that stand after an article or the like, and so are no names. */
  readonly common: ReadonlySet<string>
}

/** In order; of each sentence `tagged[i]` the text is `sentences[i]`. */
export function caselessSpans(sentences: readonly string[], tagged: readonly Words[]): NameSpan[] {
  const seen = { common: commonWords(tagged) }
  return tagged.flatMap((words, sentence) => {
    const spans: NameSpan[] = []
    const text = sentences[sentence] ?? ''
    let at = 0
    while (at < words.length) {
      const found = findAt(words, at, seen)
      if (!found) {
        at++
        continue
      }
      const first = words[found.from]
      const last = words[found.to - 1]
      if (first && last) {
        const title = found.to - found.from === 1 ? titleBefore(words, found.from) : ''
        const name = text.slice(first.start, last.end)
        spans.push({ sentence, ...found, name, title, doubtful: false })
      }
      at = found.to
    }
    return spans
  })
}

function commonWords(tagged: readonly Words[]): Set<string> {
  const common = new Set<string>()
  for (const words of tagged) {
    words.forEach((word, at) => {
      if (
        /^(?:a|an|the|my|your|his|her|its|our|their|this|that|these|some|any|every|no|each)$/.test(
          words[at - 1]?.lower ?? '',
        )
      )
        common.add(word.lower)
    })
  }
  return common
}

interface Found {
  readonly from: number
  readonly to: number
  readonly sign: 'person' | 'place'
}

function findAt(words: Words, at: number, seen: Seen): Found | undefined {
  return (
    saintly(words, at, seen) ??
    headedPlace(words, at, seen) ??
    knownPlace(words, at) ??
    person(words, at, seen) ??
    unknownPlace(words, at, seen)
  )
}

function knownPlace(words: Words, from: number): Found | undefined {
  for (const length of [4, 3, 2, 1]) {
    const run = words.slice(from, from + length)
    if (run.length < length) continue
    const name = run.map(({ lower }) => lower).join(' ')
    if (isKnownPlace(name) && !NAME_AND_WORD.test(name)) return { from, to: from + length, sign: 'place' }
  }
  return undefined
}

/** "At saint agnes", "the church of saint paul", "on san juan". */
function saintly(words: Words, from: number, seen: Seen): Found | undefined {
  const church =
    /^(?:church|chapel|cathedral|hospital|school)$/.test(words[from]?.lower ?? '') &&
    words[from + 1]?.lower === 'of'
  const at = church ? from + 2 : from
  const named = words[at + 1]
  if (!named || !/^(?:saint|st|san|santa|são|santo)$/.test(words[at]?.lower ?? '')) return undefined
  const placed = church || /^(?:at|in|on|to|from|near|of|for|the)$/.test(words[at - 1]?.lower ?? '')
  if (!placed || !(isGivenName(named.lower) || isUnknown(named, seen, false))) return undefined
  return { from, to: at + 2, sign: 'place' }
}

/** "On linden road", "from otter bay". */
function headedPlace(words: Words, from: number, seen: Seen): Found | undefined {
  const previous = words[from - 1]?.lower ?? ''
  const named = /^(?:on|in|at|from|near|to|of|off|the)$/.test(previous)
  if (!named) return undefined
  for (const to of [from + 2, from + 3]) {
    const head = words[to - 1]
    const own = words.slice(from, to - 1)
    if (!head || !NAMED_HEAD.test(head.lower)) continue
    const plain = own.some(
      (word) =>
        isStopWord(word.lower) ||
        hasTag(word, 'Verb', 'Preposition', 'Determiner', 'Value', 'Adjective', 'Conjunction'),
    )
    if (plain || (previous === 'the' && !own.every((word) => isUnknown(word, seen, true)))) continue
    return { from, to, sign: 'place' }
  }
  return undefined
}

const NAMED_HEAD =
  /^(?:street|road|avenue|lane|bay|island|islands|square|park|bridge|valley|falls|springs|heights|hospital|elementary|harbour|harbor|castle|cave|beach|lake|river|creek|point)$/

function person(words: Words, at: number, seen: Seen): Found | undefined {
  const cue = personCue(words, at)
  // "mister van X"
  const from = cue > 0 ? skipParticles(words, at) : at
  const word = words[from]
  if (!word) return undefined
  const cued = cue > 0 && isUnknown(word, seen, false)
  if (!cued && (!isGivenName(word.lower) || (cue === 0 && NAME_AND_WORD.test(word.lower)))) return undefined
  let to = from + 1
  while (to < from + SURNAMES_MAX && !words[to - 1]?.possessive) {
    const surname = words[skipParticles(words, to)]
    if (!surname) break
    if (!isUnknown(surname, seen, false) && !dictionaryTags(surname.lower).includes('LastName')) break
    to = skipParticles(words, to) + 1
  }
  return { from: at, to, sign: 'person' }
}

const SURNAMES_MAX = 3
const PARTICLE = /^(?:de|van|von|der|da|dos|al|el|bin)$/

function skipParticles(words: Words, at: number): number {
  let next = at
  while (next < at + 2 && PARTICLE.test(words[next]?.lower ?? '')) next++
  return next
}

/** How surely a person is named next. */
function personCue(words: Words, at: number): number {
  if (words[at - 1]?.possessive) return 0
  let before = at - 1
  while (before > at - 3 && /^(?:uh|um|er)$/.test(words[before]?.lower ?? '')) before--
  const previous = words[before]?.lower ?? ''
  const earlier = words[before - 1]?.lower ?? ''
  if (/^(?:i'm|called|named|hi|hello|hey|mr|mrs|ms|mister|miss|doctor|dr)$/.test(previous)) return 2
  if (previous === 'is' && /^(?:name|this|she|he|here|husband|wife)$/.test(earlier)) return 2
  if (/^(?:it's|thanks|morning|evening|afternoon)$/.test(previous)) return 1
  if (HONORIFIC.test(previous) && !/^(?:big|old|little|young|dear|chair|boss)$/.test(previous)) return 1
  if (/^(?:with|for|by|ask|and|tell)$/.test(previous)) return 0
  return KIN_OR_ROLE.test(previous) &&
    /^(?:my|our|his|her|their|the|older|younger|own|your|a)$|'s$/.test(earlier)
    ? 1
    : 0
}

/** "in X", "the village of X". */
function unknownPlace(words: Words, at: number, seen: Seen): Found | undefined {
  const previous = words[at - 1]?.lower ?? ''
  const earlier = words[at - 2]?.lower ?? ''
  const word = words[at]
  if (!word || !isUnknown(word, seen, false)) return undefined
  const held = previous === 'of' && PLACE_HEAD.test(earlier)
  if (!held && !/^(?:in|from|near|at|above|around|outside|reach|reached|leaving)$/.test(previous))
    return undefined
  if (hasTag(word, 'Plural', 'Value')) return undefined
  const next = words[at + 1]
  const longer = next && (PLACE_HEAD.test(next.lower) || isUnknown(next, seen, false))
  return { from: at, to: longer ? at + 2 : at + 1, sign: 'place' }
}

/** No word of English, as far as can be seen. `commonToo` lets through what stands after an article. */
function isUnknown(word: TaggedWord | undefined, { common }: Seen, commonToo: boolean): boolean {
  if (!word || word.lower.length < 3 || !/^\p{L}+$/u.test(word.lower)) return false
  if (isStopWord(word.lower) || (!commonToo && common.has(word.lower)) || isEnglishWord(word.lower))
    return false
  return !/(?:ing|ed|ly|tion|sion|ness|ment|ity|able|ible|ful|less|ous|ive|ance|ence|ship|hood|ism|ist)$/.test(
    word.lower,
  )
}

function titleBefore(words: Words, from: number): string {
  const title = words[from - 1]?.lower ?? ''
  return KEPT_TITLE.test(title) && !/^(?:brother|sister|father|councillor|coach|nurse)$/.test(title)
    ? title
    : ''
}
