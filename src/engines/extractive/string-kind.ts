// What a String field wants, by the head of its description: somebody's name, a place, a day, the name of something, or
// whatever a sentence says about it.

import { stemOf, wordsOf } from './words.ts'

export type StringKind = 'person' | 'place' | 'time' | 'topic' | 'named' | 'sentence'

export interface Wish {
  readonly kind: StringKind
  /** Stem of the noun that the value is an instance of: "mayor" of "Name of the mayor of the town". */
  readonly head: string | undefined
  /** As it is written, in lower case. */
  readonly headWord: string
  /** Both names of a person are asked for. */
  readonly full: boolean
}

const NAME_OF =
  /\b(?:(?<both>title and name)|(?<form>full|first|last|family|given|sur|nick)? ?names?|(?<title>titles?)|brand|model) (?:and \w+ )?of (?:the |a |an |her |his |their |its )?/i
const CUT =
  /\b(?:of|the|a|an|his|her|its|their|in|at|on|that|who|whom|whose|which|where|for|from|to|with|by|against|during|after|before|near|is|are|was|were|she|he|they|it|has|had|without|beneath|under|about|as|being|served|kept|given|used|asked|questioned|interviewed|visited|shown|held|mentioned)\b|[,(;:]/i

const PERSON_NOUN =
  /^(?:person|people|man|woman|boy|girl|child|somebody|member|author|host|guest|founder|owner|mayor|minister|president|director|coach|athlete|artist|musician|pianist|actor|actress|architect|judge|inspector|chef|cook|friend|colleague|boss|captain|victim|suspect|witness|candidate|ceo|chair|contact|pilot|poet|hero|husband|wife|partner|mother|father|brother|sister|son|daughter|uncle|aunt|parent|nurse|guide|thief|accused|defendant|deceased|applicant|assistant|accountant|attendant|consultant|sergeant|lieutenant|apprentice|principal|head|chief|king|queen|prince|princess|emperor|referee|employee|trustee|companion|neighbour|neighbor|clergyman|patient|student|resident|tenant|agent|opponent|rival|correspondent|comic|mechanic|medic|critic|academic|veteran|vet|spokesperson|chairperson|salesperson|saint|bishop|priest|monk|nun|anchor|mc|dj|star|expert|scout|lead|duo|clerk|monarch|patron|sponsor|donor|tutor|mentor|doctor|governor|senator|councillor|professor|editor|inventor|conductor|creator|sculptor|investigator|operator|negotiator|survivor|narrator|moderator|commentator|translator|navigator|surveyor|solicitor|prosecutor|successor|predecessor|ancestor|supervisor|assessor|contractor|counsellor|counselor|curator|educator|illustrator|instructor|legislator|spectator|visitor|warrior|major|general|colonel)$/
const NOT_PERSON =
  /^(?:number|lander|river|weather|paper|water|letter|order|theater|summer|winter|character|computer|chapter|career|dinner|offer|power|answer|matter|colour|color|door|factor|motor|error|floor|newspaper|tower|bakery|weekday|finger|disorder|tiger|border|corner|quarter|meter|layer|cover|counter|danger|flower|liquor|mirror|odor|odour|flavor|flavour|harbor|harbour|monitor|reactor|sector|tractor|vector|corridor|shoulder|liver|bladder|timber|silver|copper|leather|feather|butter|pepper|ginger|sugar|beer|tender|server|router|printer|scanner|charger|container|trailer|boiler|cooler|heater|freezer|mixer|shutter|filter|transfer|register|folder|buffer|pointer|parameter|diameter|perimeter|thermometer|barometer|helicopter|cutter|liner|freighter|ferry|cluster|poster|banner|sticker|cleaner|detergent|disaster|center|centre|shelter|lager|burger|laser|ruler|lever|trigger|semester|wonder|murder|latter|former|other|another|remainder|reminder|fever|cancer|ulcer|ladder|hammer|drawer|cellar|planet|list|twist|mist|specimen|human|regimen|ocean|median|indian|russian|italian|canadian|term|opener|engineering|gender|header|footer|dessert|starter|main|fiber|fibre|amber|chamber|lumber|december|november|october|september|vapor|tumor|humor|rumor|labor|labour|armor|terror|horror|honor|favor|minor|decor)$/
const PERSON_SUFFIX = /(?:er|or|ist|ian|man|woman|person|eer|ess|ee|nant|keeper|maker)$/
const PLACE_NOUN =
  /^(?:city|town|village|country|place|location|venue|region|state|county|destination|address|continent|suburb|district|birthplace|hometown|constituency|province|municipality|capital|nation|port|stop|island|lake|river|street|road|avenue|mountain|volcano|harbour|harbor|beach|valley|park|station|airport|bay|site|square|neighbourhood|neighborhood)$/
/** Places that bear a name of their own, not always found as places. */
const NAMED_PLACE = /^(?:island|lake|river|street|road|avenue|mountain|volcano|park|station|site|stop)$/
const TIME_NOUN = /^(?:date|day|deadline|weekday|month|season|time|week|hour)$/
const NAMED_NOUN =
  /^(?:company|firm|business|startup|brand|ship|boat|vessel|ferry|band|club|team|museum|school|university|college|hospital|hotel|restaurant|cafe|publisher|product|model|station|programme|program|podcast|channel|film|movie|book|novel|song|album|play|show|title|newspaper|magazine|organisation|organization|charity|bank|airline|league|party|opponent|investor|employer|sponsor|horse|dog|cat|church|bridge|building|storm|case|court|mission|software|app|supplier|manufacturer|retailer|agency|institute|shop|store|street|competition|tournament|festival|award|prize|pet|animal|buyer)$/
const TOPIC =
  /\b(?:topic|theme|main subject|subject of|(?:is|are|was|about what) .*\babout|what .*\babout)\b/i

const OPENING_WORDS = 3

export function wishOf(description: string): Wish {
  const opening = description.split(' ').slice(0, OPENING_WORDS).join(' ')
  const asked = /\b(?:who|where|when|what|which|why|how)\b/i.exec(opening)?.[0].toLowerCase()
  const named = NAME_OF.exec(description)
  const body = (named ? description.slice(named.index + named[0].length) : description).replace(
    /^(?:what|which|the|a|an|her|his|their|its|new|current|first|second|third|next|last)\s+/i,
    '',
  )
  const words = headOf(body)
  const headWord = (words.at(-1) ?? '').replace(/'s$/, '')
  const full = named?.groups?.['form'] !== undefined && /full/i.test(named.groups['form'])
  const wish = { head: headWord === '' ? undefined : stemOf(headWord), headWord, full }
  return { ...wish, kind: kindOf(description, { asked, headWord, named }) }
}

/** The words up to the noun: "person" of "person still missing", "town" of "town the second caller lives in". */
function headOf(body: string): string[] {
  const [first = '', ...rest] = body.split(' ')
  const cut = CUT.exec(` ${rest.join(' ')}`)?.index
  const words = wordsOf(
    cut === undefined ? body : `${first} ${rest.join(' ').slice(0, Math.max(0, cut - 1))}`,
  )
  while (words.length > 1 && TRAILING.test(words.at(-1) ?? '')) words.pop()
  return words
}

const TRAILING = /(?:ing|ed)$|^(?:still|wrongly|put|now|so|most|shown|held|made)$/

interface Clues {
  readonly asked: string | undefined
  readonly headWord: string
  readonly named: RegExpExecArray | null
}

function kindOf(description: string, clues: Clues): StringKind {
  const { asked, headWord, named } = clues
  const place = PLACE_NOUN.test(headWord)
  if (TOPIC.test(description) && !named && !/\babout to\b/.test(description) && !place) return 'topic'
  if (/^after whom\b/i.test(description)) return 'person'
  if (asked !== undefined && asked in ASKED) return ASKED[asked] ?? 'sentence'
  if (named?.groups?.['both'] !== undefined) return 'person'
  if (named?.groups?.['form'] !== undefined) return isThing(headWord) ? 'named' : 'person'
  if (named?.groups?.['title'] !== undefined) return 'named'
  return asked === 'what' && !named ? 'sentence' : nounKind(headWord, named !== null)
}

const ASKED: Readonly<Record<string, StringKind>> = {
  who: 'person',
  where: 'place',
  when: 'time',
  why: 'sentence',
  how: 'sentence',
}

function nounKind(head: string, named: boolean): StringKind {
  if (NAMED_PLACE.test(head)) return 'named'
  if (PLACE_NOUN.test(head)) return 'place'
  if (TIME_NOUN.test(head)) return 'time'
  // Roles that people and firms have alike.
  if (FIRM_ROLE.test(head)) return 'named'
  if (isPersonNoun(head)) return 'person'
  return named || NAMED_NOUN.test(head) ? 'named' : 'sentence'
}

const FIRM_ROLE = /^(?:opponent|investor|sponsor|buyer|publisher|supplier|manufacturer|retailer|employer)$/

function isThing(word: string): boolean {
  return NAMED_NOUN.test(word) && !FIRM_ROLE.test(word)
}

/** Whether a noun is a role that people have. */
export function isPersonNoun(word: string): boolean {
  const singular = word.replace(/s$/, '')
  if (NOT_PERSON.test(word) || NOT_PERSON.test(singular) || NAMED_NOUN.test(word)) return false
  return (
    PERSON_NOUN.test(word) ||
    PERSON_NOUN.test(singular) ||
    (singular.length > 4 && PERSON_SUFFIX.test(singular))
  )
}
