// From what somebody typed to what is looked for.

import { describe, expect, test } from 'bun:test'
import { anyOf, contentWords, looksEnglish, wordsOf } from '../../src/search/query.ts'
import { distance, variantsOf } from '../../src/search/spelling.ts'
import { createStems } from '../../src/search/stems.ts'

describe('words of a query', () => {
  test('are those that say something, unless none does', () => {
    expect(contentWords('What do we know about the harbour?')).toEqual(['harbour'])
    expect(contentWords('to be or not to be')).toEqual(['to', 'be', 'or', 'not'])
    expect(contentWords('?!')).toEqual([])
  })

  test('are letters and digits of every script', () => {
    expect(wordsOf('Où est la gare? 42 Ärzte, 你好')).toEqual([
      'où',
      'est',
      'la',
      'gare',
      '42',
      'ärzte',
      '你好',
    ])
  })

  test('never become syntax', () => {
    const match = anyOf(wordsOf('"a" AND b* OR (c) NEAR/2 col:d ^e -f'))
    expect(match).toBe('"a" OR "and" OR "b" OR "or" OR "c" OR "near" OR "2" OR "col" OR "d" OR "e" OR "f"')
    expect(anyOf([])).toBeUndefined()
  })

  test('are at most 32', () => {
    const many = Array.from({ length: 100 }, (_, index) => `word${index}`).join(' ')
    expect(contentWords(many)).toHaveLength(32)
  })
})

test('stems are those of the index', () => {
  const stems = createStems()
  expect(stems.of(['harbours', 'harbour', 'running', 'Crème', '🎉'])).toEqual([
    'harbour',
    'harbour',
    'run',
    'creme',
    '🎉',
  ])
})

describe('slips', () => {
  const vocabulary = ['presid', 'harbour', 'sourdough', 'station', 'boat', 'coral'].map((term) => ({
    term,
    chunks: 3,
  }))
  test.each([
    ['presidnet', 'presidnet', 'presid'],
    ['harbuor', 'harbuor', 'harbour'],
    ['sourdogh', 'sourdogh', 'sourdough'],
    ['corral', 'corral', 'coral'],
    ['harb', 'harb', 'harbour'],
  ])('%s is taken for what may have been meant', (word, stem, meant) => {
    expect(variantsOf(word, stem, vocabulary)[0]?.term).toBe(meant)
  })

  test('nothing is made of short or strange words', () => {
    expect(variantsOf('bot', 'bot', vocabulary)).toEqual([])
    expect(variantsOf('zanzibar', 'zanzibar', vocabulary)).toEqual([])
  })

  test('are counted: a swap of neighbours is one', () => {
    expect(distance('harbuor', 'harbour', 2)).toBe(1)
    expect(distance('kitten', 'sitting', 3)).toBe(3)
    expect(distance('kitten', 'sitting', 2)).toBe(3)
    expect(distance('', 'ab', 2)).toBe(2)
  })
})

describe('the language of a query', () => {
  test.each([
    ['how does the tax return work in Germany', { tokens: 8, unknown: 0 }, true],
    ['Wie funktioniert die Steuererklärung in Deutschland', { tokens: 23, unknown: 0 }, false],
    ['De regering heeft besloten om de belasting te verhogen', { tokens: 22, unknown: 0 }, false],
    ['Привет как дела', { tokens: 18, unknown: 6 }, false],
    ['photosynthesis', { tokens: 4, unknown: 0 }, true],
    ['', { tokens: 0, unknown: 0 }, false],
  ])('%s', (text, counts, english) => {
    expect(looksEnglish(text, counts)).toBe(english)
  })
})
