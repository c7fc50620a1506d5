// A result in the form that was asked for, as OpenAI's API words it.

import { deflateSync } from 'node:zlib'
import { answer, type Answer } from '../http/envelope.ts'
import { type Infer, t } from '../lib/schema.ts'
import { formatTranscript } from '../transcripts/formats.ts'
import type { AudioResult } from './audio.job.ts'
import type { AudioRequest } from './form.ts'
import { languageName } from './languages.ts'

const Usage = t.Object({ type: t.Literal('duration'), seconds: t.Integer() })

const Plain = t.Object({ text: t.String(), usage: Usage }, { description: 'json' })

const Verbose = t.Object(
  {
    task: t.Union([t.Literal('transcribe'), t.Literal('translate')]),
    language: t.String({ description: 'English name of the spoken language; empty when nothing was said' }),
    duration: t.Number(),
    text: t.String(),
    segments: t.Optional(
      t.Array(
        t.Object({
          id: t.Integer(),
          seek: t.Integer({ description: 'Start in hundredths of a second' }),
          start: t.Number(),
          end: t.Number(),
          text: t.String(),
          tokens: t.Array(t.Integer(), { description: 'Always empty' }),
          temperature: t.Number(),
          avg_logprob: t.Number({ description: 'Of the words; 0 where the model gives no probabilities' }),
          compression_ratio: t.Number(),
          no_speech_prob: t.Number({ description: 'Always 0: silence is cut out before' }),
        }),
      ),
    ),
    words: t.Optional(t.Array(t.Object({ word: t.String(), start: t.Number(), end: t.Number() }))),
    usage: Usage,
  },
  { description: 'verbose_json' },
)

export const AudioAnswer = t.Union([Plain, Verbose])
type AudioAnswer = Infer<typeof AudioAnswer>

/** The media types of the other formats. */
export const TEXT_TYPES = ['text/plain', 'application/x-subrip', 'text/vtt'] as const

export function fullText({ segments }: Pick<AudioResult, 'segments'>): string {
  return segments.map(({ text }) => text).join(' ')
}

export interface Asked extends Pick<AudioRequest, 'format' | 'segments' | 'words' | 'temperature'> {
  readonly translate: boolean
}

export function audioAnswer(result: AudioResult, asked: Asked): Answer<AudioAnswer> | Response {
  const { format } = asked
  if (format === 'verbose_json') return answer(200, verbose(result, asked))
  if (format === 'json') return answer(200, { text: fullText(result), usage: usageOf(result) })
  if (format === 'text') return text(`${fullText(result)}\n`, 'text/plain')
  const file = formatTranscript(format, { videoInfo: {}, segments: result.segments })
  return text(file, format === 'srt' ? 'application/x-subrip' : 'text/vtt')
}

function text(content: string, type: (typeof TEXT_TYPES)[number]): Response {
  return new Response(content, { headers: { 'content-type': `${type}; charset=utf-8` } })
}

function usageOf({ durationS }: AudioResult): Infer<typeof Usage> {
  return { type: 'duration', seconds: Math.ceil(durationS) }
}

function verbose(result: AudioResult, asked: Asked): Infer<typeof Verbose> {
  const { language, durationS, segments } = result
  return {
    task: asked.translate ? 'translate' : 'transcribe',
    language: language === null ? '' : languageName(language),
    duration: durationS,
    text: fullText(result),
    ...(asked.segments
      ? { segments: segments.map((segment, id) => verboseSegment(segment, id, asked)) }
      : {}),
    ...(asked.words ? { words: segments.flatMap(({ words = [] }) => words.map(plainWord)) } : {}),
    usage: usageOf(result),
  }
}

type Segment = AudioResult['segments'][number]

function verboseSegment(
  { text, start, end, words = [] }: Segment,
  id: number,
  { temperature = 0 }: Asked,
): NonNullable<Infer<typeof Verbose>['segments']>[number] {
  return {
    id,
    seek: Math.round(start * 100),
    start,
    end,
    text,
    tokens: [],
    temperature,
    avg_logprob: meanLogProbability(words.map(({ probability }) => probability)),
    compression_ratio: compressionRatio(text),
    no_speech_prob: 0,
  }
}

function plainWord({ text, start, end }: NonNullable<Segment['words']>[number]): {
  word: string
  start: number
  end: number
} {
  return { word: text, start, end }
}

/** What a word is given at least: its logarithm must stay a number. */
const LEAST_PROBABILITY = 1e-6

function meanLogProbability(probabilities: readonly number[]): number {
  if (probabilities.length === 0) return 0
  const sum = probabilities.reduce((total, one) => total + Math.log(Math.max(one, LEAST_PROBABILITY)), 0)
  return Number((sum / probabilities.length).toFixed(4))
}

/** As Whisper computes it: bytes of the text to bytes of it compressed. */
function compressionRatio(text: string): number {
  const bytes = Buffer.from(text)
  return Number((bytes.byteLength / deflateSync(bytes).byteLength).toFixed(4))
}
