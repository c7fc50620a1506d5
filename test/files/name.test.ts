// Names that strangers chose.

import { expect, test } from 'bun:test'
import { cleanName, inlineDisposition } from '../../src/files/name.ts'

test('a name keeps its script and loses folders, control and direction characters', () => {
  const cases: [string, string | undefined][] = [
    ['talk.wav', 'talk.wav'],
    ['../a/b\\c.wav', 'c.wav'],
    ['a\r\nb.wav', 'ab.wav'],
    ['  two   spaces .wav ', 'two spaces .wav'],
    ['👩‍🚀 łódź.mp4', '👩‍🚀 łódź.mp4'],
    ['half \ud800 pair.wav', 'half \ufffd pair.wav'],
    ['safe\u202e4pm.exe', 'safe4pm.exe'],
    ['', undefined],
    ['..', undefined],
    ['folder/', undefined],
  ]
  for (const [sent, kept] of cases) expect([sent, cleanName(sent)]).toEqual([sent, kept])
})

test('a long name is cut in front of its extension, between characters', () => {
  const name = cleanName(`${'💾'.repeat(300)}.wav`) ?? ''
  expect(Array.from(name).length).toBe(255)
  expect(name.endsWith('💾.wav')).toBe(true)
  expect(cleanName(`a.${'x'.repeat(400)}`)?.length).toBe(255)
})

test('no name breaks out of the header that carries it', () => {
  const header = inlineDisposition(`a"; filename="b\\c%41'é\n.wav`)
  expect(header).toBe(
    `inline; filename="a_; filename=_b_c_41'__.wav"; filename*=UTF-8''a%22%3B%20filename%3D%22b%5Cc%2541%27%C3%A9%0A.wav`,
  )
})
