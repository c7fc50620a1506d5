// Units of measure as they are said and written, each by one name, and what a description asks to be measured in.

import { wordsOf } from './words.ts'

/** Name of the unit → its forms. */
const FORMS: Readonly<Record<string, string>> = {
  dollar: 'dollar dollars buck bucks usd $',
  euro: 'euro euros eur €',
  pound: 'pound pounds quid gbp £',
  cent: 'cent cents pence penny',
  franc: 'franc francs',
  yen: 'yen ¥',
  rupee: 'rupee rupees',
  crown: 'crown crowns kroner kronor krona krone',
  rand: 'rand rands',
  lari: 'lari',
  shilling: 'shilling shillings',
  guilder: 'guilder guilders',
  thaler: 'thaler thalers',
  peso: 'peso pesos',
  real: 'reais',
  zloty: 'zloty zlotys',
  percent: 'percent percentage cent %',
  degree: 'degree degrees celsius fahrenheit °',
  second: 'second seconds',
  minute: 'minute minutes min',
  hour: 'hour hours',
  day: 'day days',
  night: 'night nights',
  week: 'week weeks',
  month: 'month months',
  year: 'year years',
  decade: 'decade decades',
  century: 'century centuries',
  millimetre: 'millimetre millimetres millimeter millimeters mm',
  centimetre: 'centimetre centimetres centimeter centimeters cm',
  metre: 'metre metres meter meters m',
  kilometre: 'kilometre kilometres kilometer kilometers km k',
  mile: 'mile miles mph',
  foot: 'foot feet',
  inch: 'inch inches',
  yard: 'yard yards',
  knot: 'knot knots',
  hectare: 'hectare hectares',
  acre: 'acre acres',
  gram: 'gram grams grammes g',
  kilo: 'kilo kilos kilogram kilograms kg',
  tonne: 'tonne tonnes ton tons',
  litre: 'litre litres liter liters',
  millilitre: 'millilitre millilitres milliliter milliliters ml',
  pint: 'pint pints',
  gallon: 'gallon gallons',
  watt: 'watt watts',
  kilowatt: 'kilowatt kilowatts kw',
  megawatt: 'megawatt megawatts mw',
  volt: 'volt volts',
  bar: 'bar bars',
  millibar: 'millibar millibars hectopascal hectopascals',
  terabyte: 'terabyte terabytes tb',
  gigabyte: 'gigabyte gigabytes gb gig gigs',
  hertz: 'hertz hz',
}
const UNIT_OF = new Map(
  Object.entries(FORMS).flatMap(([unit, forms]) =>
    forms.split(' ').map((form): [string, string] => [form, unit]),
  ),
)
export const MONEY_UNITS: ReadonlySet<string> = new Set(
  'dollar euro pound cent franc yen rupee crown rand lari shilling guilder thaler peso real zloty'.split(' '),
)
const MONEY =
  /\b(?:price|cost|costs|fee|fare|paid|pays?|salary|wages?|revenue|budget|rent|fine|debt|loan|grant|profit|donation|income|turnover|owes?|earned|earns|money|charges?|charged|worth|prize)\b/i

export function unitOf(form: string): string | undefined {
  return UNIT_OF.get(form)
}

/** Whether a description asks for an amount of money, be the currency named or not. */
export function wantsMoney(description: string, units: ReadonlySet<string>): boolean {
  if (units.size > 0) return [...units].some((unit) => MONEY_UNITS.has(unit))
  return MONEY.test(description) && !/^(?:number|how many)\b/i.test(description)
}

/**
 * The unit that a description asks for: "in metres", "minutes to wait", "length of the strike in days", but not the year of
 * "revenue last year". Empty when it names none.
 */
export function wantedUnits(description: string): ReadonlySet<string> {
  const lower = description.toLowerCase()
  const explicit = [
    ...lower.matchAll(
      /\b(?:in|as an?) (?:(?:millions|thousands|billions) of |silver |us |full )?(?<unit>[a-z]+)/g,
    ),
  ]
    .map(({ groups }) => unitOf(groups?.['unit'] ?? ''))
    .findLast((unit) => unit !== undefined && unit !== 'second')
  if (explicit !== undefined) return new Set([explicit])
  const counted =
    /^(?:how many|number of|amount of|total|approximate|the)?\s*([a-z]+)\b/.exec(lower)?.[1] ?? ''
  if (/s$|percent|feet/.test(counted) && unitOf(counted) !== undefined)
    return new Set([unitOf(counted) ?? ''])
  const within = wordsOf(lower).filter(
    (word) => /[a-z]s$|^percent$|^percentage$|^feet$/.test(word) && unitOf(word) !== undefined,
  )
  const afterPrepositions = /\b(?:last|first|past|next|every|per|for|within|of age)\b/.test(lower)
  return new Set(afterPrepositions ? [] : within.slice(-1).map((word) => unitOf(word) ?? ''))
}

/** How many of one unit are another: an hour said where minutes are asked for. */
const RATIOS: readonly (readonly [string, string, number])[] = [
  ['minute', 'second', 60],
  ['hour', 'minute', 60],
  ['day', 'hour', 24],
  ['week', 'day', 7],
  ['year', 'month', 12],
  ['kilometre', 'metre', 1_000],
  ['metre', 'centimetre', 100],
  ['kilo', 'gram', 1_000],
  ['tonne', 'kilo', 1_000],
  ['litre', 'millilitre', 1_000],
]

/** The factor from a larger unit to a smaller one; undefined for others. */
export function ratioOf(from: string, to: string): number | undefined {
  return RATIOS.find(([large, small]) => large === from && small === to)?.[2]
}
