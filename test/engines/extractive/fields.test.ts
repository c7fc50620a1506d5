// What single fields of a schema get from a few sentences, by words alone: the number of the right kind, the name by its
// role, the date that is meant. The whole is measured on labelled transcripts by goals.test.ts.

import { describe, expect, test } from 'bun:test'
import { createDocument, readText, splitText } from '../../../src/engines/extractive/document.ts'
import { extract } from '../../../src/engines/extractive/extract.ts'
import { numbersOf } from '../../../src/engines/extractive/numbers.ts'
import { wishOf } from '../../../src/engines/extractive/string-kind.ts'
import type { Field, Value } from '../../../src/engines/extractive/types.ts'
import { wantedUnits } from '../../../src/engines/extractive/units.ts'
import { timed } from '../../support/analysis-score.ts'

function valueOf(
  texts: readonly string[],
  type: Field['type'],
  description: string,
  more: Partial<Field> = {},
): Value {
  const document = createDocument(readText(splitText({ segments: timed(texts) })), new Map())
  return extract(document, { field: { type, description, ...more } }, new Map())['field'] ?? null
}

describe('spoken numbers', () => {
  test.each([
    ['thirty-three point eight', 33.8],
    ['three and a half million euros', 3_500_000],
    ['half a million', 500_000],
    ['one point nine million', 1_900_000],
    ['eleven euros fifty per person', 11.5],
    ['minus six degrees', -6],
    ['six degrees below zero', -6],
    ['-4 degrees', -4],
    ['two dozen', 24],
    ['two grand', 2_000],
    ['nineteen oh six', 1906],
    ['twenty twenty two', 2022],
  ])('"%s"', (text, value) => expect(numbersOf(text)[0]?.value).toBe(value))

  test('are no times of day', () => expect(numbersOf('The call came at 17:20.')).toEqual([]))
})

describe('a number', () => {
  test.each([
    [['The mast is forty metres high and weighs nine tonnes.'], 'Weight of the mast in tonnes', 9],
    [['The mast is forty metres high and weighs nine tonnes.'], 'Height of the mast in metres', 40],
    [['The ticket price rises from 25 pounds to 60 pounds.'], 'New ticket price in pounds', 60],
    [['Bake the bread for half an hour at two hundred degrees.'], 'Minutes to bake the bread', 30],
    [['The grant was two million euros.'], 'Grant in millions of euros', 2],
    [['How many goats did you keep?', 'It was eleven.'], 'Number of goats', 11],
    [['Nadia, who taught for nine years, died at the age of ninety-two.'], 'Age at death of Nadia', 92],
    [['The bridge was opened in 1931 and carries 400 cars.'], 'Year in which the bridge was opened', 1931],
    [['Bus twenty three is running fifteen minutes late.'], 'Number of the bus that is late', 23],
    [['The robotics team took second place.'], 'Place of the robotics team', 2],
  ])('of %p for "%s"', (texts, description, value) =>
    expect(valueOf(texts, 'Number', description)).toBe(value),
  )
})

describe('a string', () => {
  const INTERVIEW = [
    "Good evening, I'm Henrik Solberg, your host.",
    'With me is the marine biologist Anna Lindqvist.',
    'The mayor of the town, Peter Novak, has closed the beach.',
    'The repair ship, the Ocean Mender, leaves on Thursday at half past six.',
    'I worked as a speech therapist before that job.',
    'The pump shows the error code E18.',
  ]

  test.each([
    ['Name of the host', 'Henrik Solberg'],
    ['Full name of the marine biologist', 'Anna Lindqvist'],
    ['Name of the mayor', 'Peter Novak'],
    ['Name of the repair ship', 'Ocean Mender'],
    ['Weekday on which the ship leaves', 'Thursday'],
    ['Time at which the ship leaves', 'half past six'],
    ['Former job of the speaker', 'speech therapist'],
    ['Error code of the pump', 'E18'],
  ])('for "%s"', (description, value) => expect(valueOf(INTERVIEW, 'String', description)).toBe(value))
})

test.each([
  ['Town the first caller lives in', 'place'],
  ['Name of the person still missing', 'person'],
  ['Name of the company buying its rival', 'named'],
  ['Title of the new film', 'named'],
  ['Engineer who built the lighthouse', 'person'],
  ['Day of the week of the delivery', 'time'],
  ['What they ate', 'sentence'],
])('"%s" asks for a %s', (description, kind) => expect(wishOf(description)).toMatchObject({ kind }))

test.each([
  ['Price of a loaf in dollars', ['dollar']],
  ['Minutes to wait after switching off', ['minute']],
  ['How many years she worked there', ['year']],
  ['Revenue last year', []],
  ['Share as a percentage of turnover', ['percent']],
  ['Number of goats', []],
])('"%s" is measured in %p', (description, units) => expect([...wantedUnits(description)]).toEqual(units))

describe('yes or no', () => {
  test.each([
    [['The motion was carried.'], 'Whether the motion was carried', true],
    [['The motion was not carried.'], 'Whether the motion was carried', false],
    [['Was the motion carried?', 'No.'], 'Whether the motion was carried', false],
    [['It rained all day.'], 'Whether the motion was carried', null],
  ])('of %p', (texts, description, value) => expect(valueOf(texts, 'Boolean', description)).toBe(value))
})

test('a choice is the one said of the matter, not one said of something else', () =>
  expect(
    valueOf(
      ['The old car was red.', 'It stood in the yard for years.', 'The alert level is now orange.'],
      'Enum',
      'Alert level',
      { enum: ['green', 'orange', 'red'] },
    ),
  ).toBe('orange'))

test('a list is what its sentence enumerates', () =>
  expect(
    valueOf(
      ['We bought bread.', 'The vat is fed wheat bran, madder root and ash lye.'],
      'Array',
      'What the vat is fed',
    ),
  ).toEqual(['wheat bran', 'madder root', 'ash lye']))
