// String fields that want a name: of a person by the role the description gives, of a place, or of anything else that has
// one. Every name that is said competes by what is said around it.

import type { FieldQuery } from './field-query.ts'
import { closenessOf, meaningOf, type Reading, type ReadWord, type Term, termsOf } from './reading.ts'
import { relatedTo } from './related.ts'
import { type Mention, type NameKind, type SaidName, saidNames } from './said-names.ts'
import type { Wish } from './string-kind.ts'
import { stemOf, wordsOf } from './words.ts'

/**
 * Fitted on half of the tuning set and checked on the other: what each sign adds. `min` for any name at all is set higher than
 * fits best: a value that a transcript does not have is worse than one that is missed.
 */
const W = {
  min: 0.68,
  meaning: 0.5,
  close: 1,
  kind: 0.3,
  otherKind: 0.5,
  full: 0.1,
  role: 0.28,
  inside: 0.38,
  intro: 0.6,
  edge: 0.1,
  welcome: 0.15,
  notSelf: 0.45,
  called: 0.36,
  often: 0.03,
  placeWord: 0.07,
  named: 0.38,
}

export interface RankedName {
  readonly name: string
  readonly kind: NameKind
  readonly score: number
  /** Where it fits best. */
  readonly mention: Mention
}

const SPEAKER =
  /\b(?:presenter|host|narrator|speaker|interviewer|moderator|lecturer|reviewer|forecaster|preacher|announcer|commentator|reporter|storyteller|diarist|blogger|vlogger|youtuber|anchor|author of the (?:video|diary)|(?:person|man|woman|who) (?:speaking|presenting|reading|talking|presents|speaks|tells|talks|gives)|tells (?:her|his)|gives the talk)\b/i
const GUEST =
  /\b(?:guest|interview(?:ee|ed)|applicant|candidate|caller|customer|questioned|portrayed|visited)\b/i
const SELF =
  /(?:\bi'm|\bi am|\bmy name is|\bmy name's|\bname is|\bthis is|\bi was called|\bfrom|\bme)[, ]+(?:\p{L}+ )?$/iu
const SELF_AFTER = /^[,.]? (?:here|speaking|reporting|with you)\b/i
const WELCOME =
  /\b(?:welcome|with me|joined by|guest|talking to|speaking to|talk to|meet|thank you|thanks|hello|hi|introduce|please|studio|visit|line)\b[^.?!]{0,40}$/i
const CALLED =
  /\b(?:called|named|name is|name was|name's|titled|entitled|known as|it's|on the|by the|the|aboard the|is|was)[, ]+["“]?$/i

interface Contest {
  readonly reading: Reading
  readonly query: FieldQuery
  readonly wish: Wish
  readonly terms: readonly Term[]
}

/** Names that fit the wish, best first, not one that the description itself gives. */
export function rankNames(reading: Reading, query: FieldQuery, wish: Wish): RankedName[] {
  const contest = { reading, query, wish, terms: termsOf(reading, query) }
  const given = new Set(wordsOf(query.field.description).map(stemOf))
  const ranked: RankedName[] = []
  for (const said of saidNames(reading)) {
    const tokens = wordsOf(said.name).map(stemOf)
    if (tokens.every((token) => given.has(token))) continue
    if (wish.kind === 'named' && DEMONYM.test(said.name)) continue
    let best = -Infinity
    let [mention] = said.mentions
    if (!mention) continue
    for (const one of said.mentions) {
      const score = mentionScore(contest, said, one)
      if (score > best) [best, mention] = [score, one]
    }
    const often = W.often * Math.log2(1 + Math.min(8, said.mentions.length))
    const full = wish.full && wish.kind === 'person' ? (tokens.length > 1 ? W.full : -W.full) : 0
    ranked.push({
      name: said.name,
      kind: said.kind,
      score: best + often + full + kindFit(said, wish),
      mention,
    })
  }
  return ranked.toSorted((a, b) => b.score - a.score)
}

export function bestName(reading: Reading, query: FieldQuery, wish: Wish): string | null {
  const [best] = rankNames(reading, query, wish)
  if (!best || best.score < W.min) return null
  return best.kind === 'other' && wish.kind === 'named' ? extended(reading, best, wish) : best.name
}

const TITLE = /^(?:book|novel|film|movie|play|show|song|album|title|case|podcast|programme|program|series)$/

/** "Mula 2" for a product, and "The Wizard of Oz" for a title, though a name ends before. */
function extended(reading: Reading, { name, mention }: RankedName, { headWord }: Wish): string {
  const text = reading.document.index.sentences[mention.sentence]?.text ?? ''
  if (text.slice(mention.start, mention.end) !== name) return name
  const after = text.slice(mention.end)
  const more =
    /^ \d{1,4}\b(?![.,:]\d)/.exec(after) ??
    (TITLE.test(headWord)
      ? /^(?: (?:of|for|against|to|in|with|the|a)){1,2} \p{Lu}[\p{L}'’-]*(?: \p{Lu}[\p{L}'’-]*)*/u.exec(after)
      : null)
  const start = TITLE.test(headWord)
    ? (/\b(?:The|A|An) $/.exec(text.slice(0, mention.start))?.[0].length ?? 0)
    : 0
  return text.slice(mention.start - start, mention.end + (more?.[0].length ?? 0))
}

const DEMONYM = /^\p{L}+(?:ish|ese)$/u

function kindFit({ kind, name }: SaidName, wish: Wish): number {
  if (wish.kind === 'person' || wish.kind === 'place') {
    if (kind === wish.kind) return W.kind
    return kind === 'other' ? 0 : -W.otherKind
  }
  const inside =
    wish.head !== undefined &&
    wordsOf(name).length > 1 &&
    wordsOf(name).some((word) => sameThing(stemOf(word), wish.head ?? ''))
  if (inside) return W.inside
  return kind === 'other' ? W.named : kind === 'person' ? -W.otherKind / 2 : 0
}

function sameThing(stem: string, head: string): boolean {
  return stem === head || relatedTo(head).has(stem)
}

const AROUND_CHARS = 80

function mentionScore({ reading, query, wish, terms }: Contest, said: SaidName, mention: Mention): number {
  const text = reading.document.index.sentences[mention.sentence]?.text ?? ''
  const before = text.slice(Math.max(0, mention.start - AROUND_CHARS), mention.start)
  const after = text.slice(mention.end, mention.end + AROUND_CHARS)
  const score =
    W.meaning * meaningOf(reading, query, mention.sentence) +
    W.close * closenessOf(reading, terms, mention, wish.kind === 'named' ? 'own' : 'around') +
    W.role * roleBeside(reading, wish, mention)
  if (wish.kind === 'person') return score + partOf(reading, query, mention, { before, after })
  if (wish.kind === 'named') return score + (said.kind === 'other' && CALLED.test(before) ? W.called : 0)
  return score + (/\b(?:in|at|near|from|to|outside|of)\s+(?:the )?$/i.test(before) ? W.placeWord : 0)
}

/** What the part somebody plays in the recording says: hosts tell their own name, guests are welcomed. */
function partOf(
  { document }: Reading,
  { field }: FieldQuery,
  { sentence }: Mention,
  { before, after }: { readonly before: string; readonly after: string },
): number {
  const self = SELF.test(before) || SELF_AFTER.test(after)
  const early = sentence <= 2
  if (SPEAKER.test(field.description)) {
    const atEdge = early || sentence >= document.index.sentences.length - 2
    return (self ? W.intro : 0) + (atEdge ? W.edge : 0)
  }
  if (!GUEST.test(field.description)) return 0
  const host = self && early && !/caller/i.test(field.description)
  return (WELCOME.test(before) ? W.welcome : 0) - (host ? W.notSelf : 0)
}

const ROLE_WORDS = 4

/** 0..1: whether the noun that is asked for stands in apposition: "the mayor, Anna Lind", "Anna Lind, our coach". */
function roleBeside({ words, firstWords }: Reading, { head }: Wish, mention: Mention): number {
  if (head === undefined) return 0
  const first = firstWords[mention.sentence] ?? 0
  const limit = firstWords[mention.sentence + 1] ?? words.length
  const before = words.slice(Math.max(first, mention.from - ROLE_WORDS), mention.from).toReversed()
  const after = words.slice(mention.to, Math.min(limit, mention.to + ROLE_WORDS + 2))
  const at = (list: readonly ReadWord[]): number => {
    const exact = list.findIndex(({ stem }) => stem === head)
    const related = list.findIndex(({ stem }) => relatedTo(head).has(stem))
    return Math.max(exact < 0 ? 0 : 1 - exact * 0.12, related < 0 ? 0 : 0.7 - related * 0.12)
  }
  return Math.max(at(before), 0.9 * at(after))
}
