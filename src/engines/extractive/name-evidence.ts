// What the words around a name say about it: person, place, or something else. Hand-set weights in the manner of rules
// for named entities; one clear sign (2 or more) is enough, weak ones must add up.

import { isEnglishWord } from './name-knowledge.ts'
import { type Evidence, ownWords } from './name-shape.ts'
import type { NameSpan } from './name-spans.ts'
import {
  HONORIFIC,
  KIN_OR_ROLE,
  MOTION,
  PLACE_HEAD,
  PLACE_NOUN,
  PLACE_PREPOSITION,
  SPEECH,
} from './name-words.ts'
import { hasTag, type TaggedWord } from './tagged.ts'

/** Evidence that one mention gives, from its own words and those around it. */
export function evidenceOf(words: readonly TaggedWord[], span: NameSpan): Evidence {
  const evidence: Evidence = { person: 0, place: 0, other: 0 }
  if (span.sign) evidence[span.sign] += 2
  ownWords(words, span, evidence)
  before(words, span, evidence)
  after(words, span, evidence)
  vocative(words, span, evidence)
  return evidence
}

function before(words: readonly TaggedWord[], { from }: NameSpan, evidence: Evidence): void {
  const previous = words[from - 1]
  const earlier = words[from - 2]
  const name = words[from]
  if (!previous || !name) return
  const apart = name.before
  const adjoining = apart === '' || apart === ','
  if (apart === '' || apart === '.') {
    titleBefore(previous, earlier, evidence)
    if (/^(?:called|named)$/.test(previous.lower)) calledWhat(words, from, evidence)
    wordBefore(previous, earlier, name, evidence)
  }
  if (
    adjoining &&
    (KIN_OR_ROLE.test(previous.lower) || (hasTag(previous, 'Actor') && !hasTag(previous, 'Plural')))
  )
    evidence.person += 2.2
  else if (adjoining && apart === ',' && roleBefore(words, from)) evidence.person += 1.8
  if (apart === '') placeBefore(previous, earlier, name, evidence)
}

function titleBefore(previous: TaggedWord, earlier: TaggedWord | undefined, evidence: Evidence): void {
  if (!HONORIFIC.test(previous.lower)) return
  // "The Lady Anne" is a ship or a house.
  if (earlier?.lower === 'the' && previous.capitalised) evidence.other += 6
  else evidence.person += 3
}

const BEFORE_PERSON = /^(?:i'm|am|with|meet|met|by|thanks?|thank|hi|hello|hey|dear|ask|tell|told|asked|mr)$/

function wordBefore(
  previous: TaggedWord,
  earlier: TaggedWord | undefined,
  name: TaggedWord,
  evidence: Evidence,
): void {
  const word = isEnglishWord(name.lower) || hasTag(name, 'Gerund')
  const beforeThat = earlier?.lower ?? ''
  if (BEFORE_PERSON.test(previous.lower)) evidence.person += 0.8
  if (/^(?:i'm|am)$/.test(previous.lower)) evidence.person += 1.5
  if (previous.lower === 'by' && BY_WHOM.test(beforeThat) && !word) evidence.person += 0.7
  if (previous.lower === 'is' && /^(?:name|me|here|this|he|she|guest|caller)$/.test(beforeThat) && !word)
    evidence.person += 2.2
  // "Welcome to", "listening to": the name of the show.
  if (/^(?:to|reading|watching)$/.test(previous.lower) && SHOWN.test(beforeThat)) evidence.other += 1
}

const SHOWN = /^(?:welcome|back|listening|listen|hear|tickets)$/
const BY_WHOM =
  /^(?:paper|book|novel|film|song|study|poem|painting|article|picture|portrait|written|painted|directed|composed|founded|led|won|sung|made|run|taught)$/

function calledWhat(words: readonly TaggedWord[], from: number, evidence: Evidence): void {
  const owner = words.slice(Math.max(0, from - 5), from - 1)
  if (owner.some((word) => PLACE_HEAD.test(word.lower) || /^(?:place|farm|area)$/.test(word.lower)))
    evidence.place += 2
  else if (owner.some((word) => KIN_OR_ROLE.test(word.lower) || hasTag(word, 'Actor'))) evidence.person += 2.5
  else evidence.other += 1
}

function placeBefore(
  previous: TaggedWord,
  earlier: TaggedWord | undefined,
  name: TaggedWord,
  evidence: Evidence,
): void {
  const weight = PLACE_PREPOSITION.get(previous.lower)
  if (weight !== undefined) {
    evidence.place += weight === 1 ? 1.2 : weight
    if (previous.lower !== 'in' && earlier && (MOTION.test(earlier.lower) || PLACE_HEAD.test(earlier.lower)))
      evidence.place += 1.2
  }
  if (previous.lower === 'of' && earlier && PLACE_NOUN.test(earlier.lower)) evidence.place += 2
  if (PLACE_NOUN.test(previous.lower) && !previous.capitalised && !MOTION.test(previous.lower))
    evidence.place += 1.5
  if (/^(?:leave|left|leaving|reach(?:ed)?|visit(?:ed|ing)?|entered)$/.test(previous.lower))
    evidence.place += 0.8
  if (previous.lower === 'the') {
    evidence.person -= 1.5
    if (earlier && PLACE_PREPOSITION.has(earlier.lower))
      evidence.place += 0.8 * (PLACE_PREPOSITION.get(earlier.lower) ?? 0)
    if (name.lower.endsWith('s') || hasTag(name, 'Place')) evidence.place += 0.4
    else evidence.other += 0.6
  }
}

/** "The mayor of Lisbon, NAME", "energy minister NAME", "her coach, NAME". */
function roleBefore(words: readonly TaggedWord[], from: number): boolean {
  return words
    .slice(Math.max(0, from - 4), from)
    .some(
      (word) =>
        KIN_OR_ROLE.test(word.lower) ||
        HONORIFIC.test(word.lower) ||
        (hasTag(word, 'Actor') && !hasTag(word, 'Plural')),
    )
}

function after(words: readonly TaggedWord[], span: NameSpan, evidence: Evidence): void {
  const { to } = span
  const next = words[to]
  const last = words[to - 1]
  if (!next || !last) return
  const apart = next.before
  if (apart === '' && !last.possessive) nextWord(words, span, next, evidence)
  if (last.possessive && KIN_OR_ROLE.test(next.lower)) evidence.person += 2
  if (!last.possessive && apart === ',') relative(words, span, evidence)
}

function nextWord(
  words: readonly TaggedWord[],
  { from, to, doubtful }: NameSpan,
  next: TaggedWord,
  evidence: Evidence,
): void {
  const attached = /^(?:of|in|from|at|near)$/.test(words[from - 1]?.lower ?? '')
  if (SPEECH.test(next.lower) && !attached) evidence.person += doubtful ? 1.2 : 2
  else if (hasTag(next, 'PastTense', 'PresentTense') && !hasTag(next, 'Gerund', 'Copula') && !attached) {
    evidence.person += doubtful ? 0.3 : 0.6
  }
  if (PLACE_HEAD.test(next.lower) && words[from - 1]?.lower === 'the') evidence.place += 3
  else if (/^(?:coast|river|region|area|county|beach)$/.test(next.lower)) evidence.place += 1.5
  if (next.lower === 'who') evidence.person += 2.5
  // "Maureen from Stroud", "Fatima and I"
  if (next.lower === 'from' && words[to + 1]?.capitalised === true) evidence.person += 1
  if (next.lower === 'and' && words[to + 1]?.lower === 'i') evidence.person += 2
  if (/^(?:himself|herself)$/.test(next.lower)) evidence.person += 2
}

/** "Laura, who …", "Laura, a teacher": but in "Laura of Kent, who …" it is not Kent that is meant. */
function relative(words: readonly TaggedWord[], { from, to }: NameSpan, evidence: Evidence): void {
  const next = words[to]?.lower ?? ''
  const previous = words[from - 1]?.lower ?? ''
  if (next === 'where') evidence.place += 2
  if (previous === 'of' || PLACE_PREPOSITION.has(previous)) return
  if (next === 'who' || next === 'whose') evidence.person += 2.5
  const apposition = words.slice(to + 1, to + 4)
  const role = apposition.some((word) => KIN_OR_ROLE.test(word.lower) || hasTag(word, 'Actor'))
  if (role && /^(?:a|an|the|my|our|his|her|their)$/.test(next)) evidence.person += 1.5
}

const ADDRESSED = /^(?:sorry|thanks|you|yes|no|okay|ok|well|right|hello|hi|hey|morning|evening|please|point)$/
const SAID_TO_SOMEBODY = /^(?:you|your|please|me|us|thanks?|thank|let's|i|we|i'm|we're)$/
const ASKS =
  /^(?:what|how|can|could|would|will|do|did|please|why|where|when|are|is|you|let's|thank|thanks|welcome|good|that)$/

/** "Daniel, can you …", "Thanks, Nick.", "Tell us, Amara, how …", "That was me, Patrick, and …". */
function vocative(words: readonly TaggedWord[], { from, to }: NameSpan, evidence: Evidence): void {
  const first = words[from]
  const next = words[to]
  const after = words[to - 1]?.after ?? ''
  if (!first || to - from > 2) return
  if (first.before === ',' && /^[,.!?]/.test(after)) setApart(words, from, evidence)
  const begins = from === 0
  if (after === ',' && begins && next && (ASKS.test(next.lower) || hasTag(next, 'Imperative')))
    evidence.person += 2.2
  else if ((begins || first.before === ',') && /^(?:here|speaking)$/.test(next?.lower ?? ''))
    evidence.person += 2.2
}

function setApart(words: readonly TaggedWord[], from: number, evidence: Evidence): void {
  const previous = words[from - 1]
  // After a capitalised word it is rather one more of a list, or where that is.
  if (previous?.capitalised === true && !previous.opens) return
  const around = from < 4 || words.slice(0, 12).some((word) => SAID_TO_SOMEBODY.test(word.lower))
  evidence.person += around ? 1.5 : 0.8
  if (ADDRESSED.test(previous?.lower ?? '')) evidence.person += 1
}
