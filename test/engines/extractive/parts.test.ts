// The parts of the built-in engine one by one: numbers, sentences, names, language, statements.

import { describe, expect, test } from 'bun:test'
import {
  createDocument,
  type Document,
  readText,
  splitText,
} from '../../../src/engines/extractive/document.ts'
import { looksEnglish } from '../../../src/engines/extractive/english.ts'
import { numbersOf } from '../../../src/engines/extractive/numbers.ts'
import { isQuestion, understand } from '../../../src/engines/extractive/question.ts'
import { sentencesOf } from '../../../src/engines/extractive/sentences.ts'
import { analyseStatement } from '../../../src/engines/extractive/statement.ts'
import { decodeTask, encodeTask } from '../../../src/engines/extractive/wire.ts'
import { countTokens } from '../../../src/engines/extractive/words.ts'
import { timed } from '../../support/analysis-score.ts'

function documentOf(...texts: string[]): Document {
  return createDocument(readText(splitText({ segments: timed(texts) })), new Map())
}

describe('numbers', () => {
  test.each([
    ['4.5 million dollars', [4_500_000]],
    ['two hundred and fifty thousand pounds', [250_000]],
    ['sixty two thousand out of eighty thousand', [62_000, 80_000]],
    ['nineteen ninety eight and 2007', [1998, 2007]],
    ['one, two three', [1, 2, 3]],
    ['1,300 people in twenty-three tents', [1_300, 23]],
    ['a hundred trillion', [1e14]],
    ['no number at all, and nobody', []],
  ])('of "%s"', (text, values) => {
    expect(numbersOf(text).map(({ value }) => value)).toEqual(values)
  })

  test('know ordinals and years', () => {
    const [seventeenth, year] = numbersOf('May seventeenth 1998')
    expect(seventeenth).toMatchObject({ value: 17, ordinal: true, year: false })
    expect(year).toMatchObject({ value: 1998, ordinal: false, year: true })
  })
})

describe('sentences', () => {
  test('know the segments that they span', () => {
    const segments = timed(['Yes, I did. And', 'then we left.', '', 'Bye.'])
    expect(sentencesOf(segments)).toEqual([
      { text: 'Yes, I did.', firstSegment: 0, lastSegment: 0 },
      { text: 'And then we left.', firstSegment: 0, lastSegment: 1 },
      { text: 'Bye.', firstSegment: 3, lastSegment: 3 },
    ])
  })

  test('are the segments where nothing is punctuated', () => {
    const texts = Array.from({ length: 12 }, (_, at) => `so this is what somebody says in segment ${at}`)
    expect(sentencesOf(timed(texts)).map(({ text }) => text)).toEqual(texts)
  })
})

describe('names', () => {
  const namesOf = (...texts: string[]): { people: string[]; places: string[] } => {
    const { people, places } = documentOf(...texts).entities
    return { people: people.map(({ name }) => name), places: places.map(({ name }) => name) }
  }

  test('of one person are one entry, whether in full, surname or first name', () => {
    expect(
      namesOf(
        'The mayor, Imke Vandersloot, opened the meeting in Harlow.',
        'Vandersloot said that the budget was tight.',
        'Thanks, Imke, that was very clear.',
      ),
    ).toEqual({ people: ['Imke Vandersloot'], places: ['Harlow'] })
  })

  test('are none where words are only capitalised because they begin a sentence', () => {
    expect(
      namesOf('Critics say that it failed.', 'Bread is expensive.', 'On Monday we rest.', 'Germans like it.'),
    ).toEqual({
      people: [],
      places: [],
    })
  })

  test('come with the sentence that says most', () => {
    const { people } = documentOf(
      'Hello, Tariq.',
      'Tariq, who repairs clocks, lives in the old mill.',
    ).entities
    expect(people).toMatchObject([
      { name: 'Tariq', context: 'Tariq, who repairs clocks, lives in the old mill.' },
    ])
  })
})

describe('language', () => {
  test.each([
    ['We went to the market and it was full of people who had nothing to do.', true],
    ['ok', true],
    ['', true],
    ['Wir sind gestern auf den Markt gegangen und es war nicht viel los.', false],
    ['Hier, nous sommes allés au marché et il y avait beaucoup de monde.', false],
    ['Вчера мы ходили на рынок, и там было много людей.', false],
    ['昨日市場に行きました。とても混んでいました。', false],
  ])('of "%s"', (text, english) => {
    expect(looksEnglish(text)).toBe(english)
  })

  test('other than English is summed up but gives no names', () => {
    const document = documentOf(
      'Der Bürgermeister Karl Schmidt ist nicht mit dem Plan für die Brücke in Köln zufrieden.',
    )
    expect(document.english).toBe(false)
    expect(document.entities).toEqual({ people: [], places: [] })
  })
})

describe('questions', () => {
  test.each([
    ['Who built the bridge?', 'person'],
    ['Where is it?', 'place'],
    ['How many people came?', 'number'],
    ['How long did it take?', 'duration'],
    ['How much does it cost?', 'money'],
    ['In which year was it built?', 'time'],
    ['Why was it closed?', 'reason'],
  ])('"%s" asks for a %s', (text, wanted) => {
    expect(understand(text).wanted).toBe(wanted as never)
  })

  test('are recognised without their mark too', () => {
    expect(isQuestion('what can we do for you')).toBe(true)
    expect(isQuestion('What a day.')).toBe(false)
  })
})

describe('a statement', () => {
  test('quotes the post, and its lists keep their limits', () => {
    const text = 'A new study shows that 43% of coral reefs in Australia have died. We must act now!'
    const statement = analyseStatement(documentOf(text), { text, shown: '', quoted: '' }, new Map())
    expect(text).toContain(statement.final_statement)
    expect(statement.claim_type).toBe('factual_claim')
    expect(statement.authority).toBe('data_driven')
    expect(statement.entities).toContain('Australia')
    expect(statement.topics.length).toBeWithin(3, 9)
  })

  test('of a post without words is what its media says; what it quotes is named as context', () => {
    const shown = 'The dam in Norway broke on Monday. Nobody was hurt.'
    const quoted = 'Is the dam safe? I doubt it.'
    const post = { text: '👇 https://example.com/x @someone', shown, quoted }
    const statement = analyseStatement(documentOf(shown), post, new Map())
    expect(shown).toContain(statement.final_statement)
    expect(statement.final_statement).not.toBe('')
    expect(statement.detailed_analysis).toContain('its media says')
    expect(statement.detailed_analysis).toContain('It quotes: “Is the dam safe? I doubt it”.')
    expect(statement).toMatchObject({ claim_type: 'opinion', tone: 'neutral', authority: 'speculative' })
  })

  test('is judged by its own text: what it shows and quotes changes no axis', () => {
    const text = 'The bus leaves at nine.'
    const plain = analyseStatement(documentOf(text), { text, shown: '', quoted: '' }, new Map())
    const loud = {
      text,
      shown: 'According to a study 43% died! lol',
      quoted: 'BREAKING: sign the petition NOW!!!',
    }
    const { claim_type, intent, tone, emotion, authority } = analyseStatement(
      documentOf(text),
      loud,
      new Map(),
    )
    expect(plain).toMatchObject({ claim_type, intent, tone, emotion, authority })
  })

  test.each(['lol', '', 'https://example.com/x', '日本'])('of "%s" is whole', (text) => {
    const statement = analyseStatement(documentOf(text), { text, shown: '', quoted: '' }, new Map())
    expect(statement.topics.length).toBeWithin(3, 9)
    expect(statement.detailed_analysis).not.toBe('')
  })
})

test('tokens are counted in pieces of eight letters', () => {
  expect(countTokens('Hello, internationalisation!')).toBe(6)
})

test('a task arrives with its vectors', () => {
  const task = {
    kind: 'answer',
    transcript: { segments: timed(['Grüße aus 東京.']) },
    question: 'Wo?',
  } as const
  const vectors = new Map([
    ['a', new Float32Array([1, 0, 0.5])],
    ['b', new Float32Array([0, 1, 0])],
  ])
  const bytes = encodeTask(task, ['b', 'a', 'unknown'], vectors)
  const decoded = decodeTask(new Uint8Array(bytes))
  expect(decoded.task).toEqual(task)
  expect([...decoded.vectors]).toEqual([...vectors].toReversed())
})
