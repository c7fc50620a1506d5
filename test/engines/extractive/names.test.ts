// People and places by what is said around them, with titles, without capitals, and under hostile input. The names are
// made up for the test, or so common that everybody has them.

import { describe, expect, test } from 'bun:test'
import { createDocument, readText, splitText } from '../../../src/engines/extractive/document.ts'
import { timed } from '../../support/analysis-score.ts'

function namesOf(...texts: string[]): { people: string[]; places: string[] } {
  const { people, places } = createDocument(
    readText(splitText({ segments: timed(texts) })),
    new Map(),
  ).entities
  return { people: people.map(({ name }) => name), places: places.map(({ name }) => name) }
}

describe('titles', () => {
  test.each([
    ['We spoke to Mrs. Quillfeather about the roof.', 'Mrs. Quillfeather'],
    ['Then Judge Orbanov sent them home.', 'Judge Orbanov'],
    ['We spoke to Mister Quillfeather about the roof.', 'Quillfeather'],
    ['We spoke to Dr. Amelia Quillfeather about the roof.', 'Amelia Quillfeather'],
    ['I asked my uncle Zebulon about the roof.', 'Zebulon'],
  ])('of "%s": %s', (text, name) => {
    expect(namesOf(text).people).toEqual([name])
  })

  test('are left away once the first name is known', () => {
    expect(
      namesOf('Mrs. Quillfeather opened the door.', 'I am Amelia Quillfeather, she said.').people,
    ).toEqual(['Amelia Quillfeather'])
  })

  test('of office alone are nobody, and a ship is no lady', () => {
    const texts = ['Treasurer, what can we afford?', 'The Lady Isobel left the harbour at five.']
    expect(namesOf(...texts).people).toEqual([])
  })
})

describe('a name that nobody knows', () => {
  test.each([
    ['Zorvik Blenhaven, unit nine, said nothing.', ['Zorvik Blenhaven'], []],
    ['And that is what Zorvik Blenhaven-Oduwale wanted.', ['Zorvik Blenhaven-Oduwale'], []],
    ['With respect, Zorvik, we have a problem.', ['Zorvik'], []],
    ['The report was written by R. Blenhaven last year.', ['R. Blenhaven'], []],
    ['We took the ferry to Blenhaven this morning.', [], ['Blenhaven']],
    ['They live at Port Zorvik now.', [], ['Port Zorvik']],
    ['The mayor of Blenhaven said that it was late.', [], ['Blenhaven']],
    ["We waited outside Saint Zorvik's Hospital.", [], ["Saint Zorvik's Hospital"]],
    ['A letter came from the City of Blenhaven about it.', [], ['Blenhaven']],
    ['I work for Blenhaven Logistics Systems.', [], []],
    ['Welcome back to Loose Ends, the show about rope.', [], []],
  ])('is told by what is said around it: %s', (text, people, places) => {
    expect(namesOf(text)).toEqual({ people, places })
  })
})

describe('without capitals', () => {
  const TALK = [
    'good morning my name is zorvik blenhaven and i look after the boats here',
    'we keep them in the old shed behind the station because it is dry and nobody goes there',
    'last year we moved half of them to a barn near quillmore and the others to a yard on tarnside road',
    'then the mayor amelia orbanov came from norway to have a look and she liked what she saw',
    'in fact she bought one and in spring she will sail it home with her brother tomasz',
  ]
  const people = ['zorvik blenhaven', 'amelia orbanov', 'tomasz']
  const places = ['quillmore', 'tarnside road', 'norway']

  test('names are found where only a name can stand', () => {
    expect(namesOf(...TALK)).toEqual({ people, places })
  })

  test('text in capitals only is read the same way', () => {
    const capitals = (texts: string[]): string[] => texts.map((text) => text.toUpperCase())
    expect(namesOf(...capitals(TALK))).toEqual({ people: capitals(people), places: capitals(places) })
  })
})

test.each([
  ['particles', `Anna ${'de '.repeat(20_000)}`],
  ['particles without capitals', `my name is ${'van '.repeat(20_000)}`],
  ['hesitation', 'uh '.repeat(20_000)],
  ['capitals', 'Zorvik '.repeat(20_000)],
  ['names of properties', '__proto__ constructor toString Constructor hasOwnProperty '.repeat(1_000)],
])('a sentence of nothing but %s is read at once', (_, text) => {
  const startedAt = performance.now()
  namesOf(text)
  expect(performance.now() - startedAt).toBeLessThan(20_000)
})
