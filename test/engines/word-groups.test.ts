// Which words of a window were said before which pause.

import { describe, expect, test } from 'bun:test'
import { divideWords } from '../../src/engines/word-groups.ts'

const WHOLE =
  'And so my fellow Americans ask not what your country can do for you, ask what you can do for your country.'

function divide(text: string, ...heard: readonly string[]): string[] {
  const groups = heard.map((part) => part.split(' ').filter((word) => word !== ''))
  return divideWords(text.split(' '), groups).map((group) => group.join(' '))
}

describe('dividing the words of a window', () => {
  test('words go to the group that heard them, however it spelt them', () => {
    expect(
      divide(
        WHOLE,
        'And so my fellow American.',
        'As not.',
        'What your country can do for you?',
        'And what you can do for your country.',
      ),
    ).toEqual([
      'And so my fellow Americans',
      'ask not',
      'what your country can do for you,',
      'ask what you can do for your country.',
    ])
  })

  test('a group that heard nothing takes what the others did not hear', () => {
    const last = 'And what you can do for your country.'
    expect(
      divide(WHOLE, 'And so my fellow americans.', '', 'What your country can do for you?', last),
    ).toEqual([
      'And so my fellow Americans',
      'ask not',
      'what your country can do for you,',
      'ask what you can do for your country.',
    ])
    expect(divide('one two three four five six', 'one two', '', 'three for', '')).toEqual([
      'one two',
      '',
      'three four',
      'five six',
    ])
  })

  test('no word is lost or doubled, whatever the groups heard', () => {
    for (const heard of [
      ['', ''],
      ['nothing like it', 'at all'],
      [WHOLE, WHOLE],
      ['', WHOLE, ''],
    ]) {
      expect(
        divide(WHOLE, ...heard)
          .filter((part) => part !== '')
          .join(' '),
      ).toBe(WHOLE)
    }
  })
})
