// The fields of a form as OpenAI's clients send it → what is asked for. What cannot be done is refused by name: an answer
// that silently lacks what was asked for would be worse.

import { t } from '../lib/schema.ts'
import { Problem } from '../lib/problem.ts'
import { invalid } from './errors.ts'
import { findLanguageCode } from './languages.ts'

export const RESPONSE_FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt'] as const
export type ResponseFormat = (typeof RESPONSE_FORMATS)[number]

const GRANULARITIES = 'timestamp_granularities[]'
const INCLUDE = 'include[]'
/** Some clients leave the brackets out. */
export const LIST_FIELDS = [GRANULARITIES, 'timestamp_granularities', INCLUDE, 'include'] as const
/** Whisper reads about the last 220 tokens. */
const PROMPT_MAX = 2_000

const file = t.String({
  format: 'binary',
  description: 'Audio or video: flac, m4a, mp3, mp4, mpeg, mpga, ogg, wav, webm and what uploads accept',
})
const model = t.String({
  description:
    'whisper-1, gpt-4o-transcribe, gpt-4o-mini-transcribe (the model of this server) or an id of GET /models',
  examples: ['whisper-1'],
})
const prompt = t.Optional(
  t.String({ description: 'Words and names as they are to be written; Whisper models use it' }),
)
const response_format = t.Optional(
  t.Union(
    RESPONSE_FORMATS.map((format) => t.Literal(format)),
    { default: 'json' },
  ),
)
const temperature = t.Optional(t.Number({ minimum: 0, maximum: 1, description: 'Whisper models use it' }))

export const TranslationForm = t.Object({ file, model, prompt, response_format, temperature })

export const TranscriptionForm = t.Object({
  ...TranslationForm.properties,
  language: t.Optional(
    t.String({ description: 'ISO 639-1 code of the spoken language; detected when absent' }),
  ),
  [GRANULARITIES]: t.Optional(
    t.Array(t.Union([t.Literal('segment'), t.Literal('word')]), {
      description: 'With verbose_json; word times come from Whisper models only',
    }),
  ),
  stream: t.Optional(
    t.Boolean({ description: 'Server-sent events while speech is recognised; with json or text' }),
  ),
})

export interface AudioRequest {
  readonly model: string
  readonly format: ResponseFormat
  readonly language: string | undefined
  readonly prompt: string | undefined
  readonly temperature: number | undefined
  readonly segments: boolean
  readonly words: boolean
  readonly stream: boolean
}

type Fields = ReadonlyMap<string, string>

/** Throws Problems `missing_parameter` and `invalid_parameter` with the field at fault. */
export function readAudioRequest(fields: Fields): AudioRequest {
  const given = (name: string): string | undefined => fields.get(name)?.trim() || undefined
  const named = given('model')
  if (named === undefined) throw new Problem('missing_parameter', '"model" is required.', { field: 'model' })
  const format = readFormat(given('response_format'))
  const stream = readBoolean('stream', given('stream'))
  if (stream && format !== 'json' && format !== 'text') {
    throw invalid('stream', '"stream" goes with the response formats json and text only.')
  }
  refuseInclude(given(INCLUDE) ?? given('include'))
  const chosen = readGranularities(given(GRANULARITIES) ?? given('timestamp_granularities'), format)
  return {
    model: named,
    format,
    language: readLanguage(given('language')),
    prompt: given('prompt')?.replaceAll('\0', '').slice(-PROMPT_MAX),
    temperature: readTemperature(given('temperature')),
    segments: chosen.length === 0 || chosen.includes('segment'),
    words: chosen.includes('word'),
    stream,
  }
}

function readFormat(text = 'json'): ResponseFormat {
  const format = RESPONSE_FORMATS.find((known) => known === text)
  if (format) return format
  const speakers = text === 'diarized_json' ? 'Speakers are not told apart here: ' : ''
  throw invalid(
    'response_format',
    `${speakers}"response_format" must be one of ${RESPONSE_FORMATS.join(', ')}.`,
  )
}

function readBoolean(field: string, text = 'false'): boolean {
  const value = { true: true, '1': true, false: false, '0': false }[text.toLowerCase()]
  if (value !== undefined) return value
  throw invalid(field, `"${field}" must be true or false.`)
}

function refuseInclude(text: string | undefined): void {
  if (text !== undefined)
    throw invalid('include', 'Nothing can be included: log probabilities are not given here.')
}

function readGranularities(text: string | undefined, format: ResponseFormat): readonly string[] {
  const chosen = text?.split('\n').map((one) => one.trim()) ?? []
  if (chosen.some((one) => one !== 'segment' && one !== 'word')) {
    throw invalid('timestamp_granularities', '"timestamp_granularities" takes segment and word.')
  }
  if (chosen.includes('word') && format !== 'verbose_json') {
    throw invalid('timestamp_granularities', 'Word times are part of the response format verbose_json only.')
  }
  return chosen
}

function readLanguage(text: string | undefined): string | undefined {
  if (text === undefined) return undefined
  const code = findLanguageCode(text)
  if (code !== undefined) return code
  throw invalid(
    'language',
    '"language" must be the ISO 639-1 code of a language that Whisper knows, such as en.',
  )
}

function readTemperature(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const value = /^\d{1,3}(\.\d{1,15})?$/.test(text) ? Number(text) : Number.NaN
  if (value >= 0 && value <= 1) return value
  throw invalid('temperature', '"temperature" must be a number from 0 to 1.')
}
