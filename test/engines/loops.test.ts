// Loops are cut, and nothing that people say is taken for one.

import { describe, expect, test } from 'bun:test'
import { withoutLoops } from '../../src/engines/loops.ts'

const clean = (text: string): string =>
  withoutLoops(text.split(' '), (word) => word.toLowerCase().replaceAll(/\W/g, '')).join(' ')

describe('loops', () => {
  test('are cut to their first round', () => {
    expect(clean(`so ${'Thank you. '.repeat(9)}and goodbye`)).toBe('so Thank you. and goodbye')
    expect(clean('la '.repeat(40).trim())).toBe('la')
    const phrase = 'we will see you next time on the show'
    expect(clean(`${phrase} ${phrase} ${phrase} ${phrase} we will`)).toBe(phrase)
  })

  test('are not what people say', () => {
    for (const text of [
      'no, no, no, no',
      'nine nine nine nine nine nine nine',
      'it was very very very good and very very very nice and very very very cheap',
      'row row row your boat gently down the stream row row row your boat gently down the stream',
    ]) {
      expect(clean(text)).toBe(text)
    }
  })
})
