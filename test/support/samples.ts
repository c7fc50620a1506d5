// The recordings of test/samples with their true texts and times, and the measures that speech tests use.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SAMPLE_RATE, type Span, type SpeechWindow } from '../../src/engines/speech-engine.ts'
import { parseOrThrow, parser, t } from '../../src/lib/schema.ts'

const FOLDER = join(import.meta.dir, '../samples')
/** Every sample is a plain wav: 44 bytes of header, then 16 kHz mono s16le. */
const WAV_HEADER_BYTES = 44
const SAMPLES_PER_MS = SAMPLE_RATE / 1_000

const DESCRIPTION = parser(
  t.Object({
    text: t.String(),
    sentences: t.Array(t.Object({ start: t.Number(), end: t.Number(), text: t.String() })),
  }),
)

export interface Sample {
  readonly name: string
  readonly wavPath: string
  readonly samples: Int16Array
  readonly text: string
  readonly sentences: readonly (Span & { readonly text: string })[]
}

/** Samples whose name begins with `prefix`, in order of their names. */
export function readSamples(prefix: 'sample-' | 'vocabulary-'): Sample[] {
  const names = readdirSync(FOLDER).filter((name) => name.startsWith(prefix) && name.endsWith('.json'))
  return names.toSorted().map((file) => {
    const name = file.slice(0, -'.json'.length)
    const json: unknown = JSON.parse(readFileSync(join(FOLDER, file), 'utf8'))
    const description = parseOrThrow(DESCRIPTION, json, file)
    const wavPath = join(FOLDER, `${name}.wav`)
    const wav = readFileSync(wavPath)
    const samples = new Int16Array(wav.buffer.slice(wav.byteOffset + WAV_HEADER_BYTES))
    const sentences = description.sentences.map(({ start, end, text }) => {
      return { startMs: start * 1_000, endMs: end * 1_000, text }
    })
    return { name, wavPath, samples, text: description.text, sentences }
  })
}

/** Windows of whole sentences, at most `maxMs` long where sentences allow, cut in the middle of the pauses. */
export function windowsOf(sample: Sample, maxMs: number): SpeechWindow[] {
  const { sentences, samples } = sample
  const lengthMs = samples.length / SAMPLES_PER_MS
  const cutBefore = (index: number): number => {
    const previous = sentences[index - 1]
    const next = sentences[index]
    if (!previous) return 0
    return next ? Math.round((previous.endMs + next.startMs) / 2) : lengthMs
  }
  const windows: SpeechWindow[] = []
  let first = 0
  for (let index = 1; index <= sentences.length; index++) {
    const startMs = cutBefore(first)
    if (index < sentences.length && cutBefore(index + 1) - startMs <= maxMs) continue
    const endMs = cutBefore(index)
    windows.push({
      startMs,
      endMs,
      samples: samples.slice(startMs * SAMPLES_PER_MS, endMs * SAMPLES_PER_MS),
      utterances: sentences.slice(first, index).map((sentence) => ({
        startMs: sentence.startMs,
        endMs: sentence.endMs,
      })),
    })
    first = index
  }
  return windows
}

/** Lower-case words without punctuation: what counts in comparisons. */
export function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}'\s]/gu, ' ')
    .split(/\s+/)
    .filter((word) => word !== '')
}

/** Fewest insertions, deletions and substitutions of words that turn one list into the other (Levenshtein). */
export function wordErrors(expected: readonly string[], actual: readonly string[]): number {
  let row = actual.map((_, index) => index + 1)
  row.unshift(0)
  for (const [i, word] of expected.entries()) {
    const next = [i + 1]
    for (const [j, other] of actual.entries()) {
      const replaced = (row[j] ?? 0) + (word === other ? 0 : 1)
      next.push(Math.min(replaced, (row[j + 1] ?? 0) + 1, (next[j] ?? 0) + 1))
    }
    row = next
  }
  return row.at(-1) ?? 0
}

/** How many sentences have a segment that starts within `toleranceMs` of theirs. */
export function startsFound(
  sentences: readonly Span[],
  segments: readonly Span[],
  toleranceMs: number,
): number {
  const starts = segments.map((segment) => segment.startMs)
  return sentences.filter((sentence) =>
    starts.some((start) => Math.abs(start - sentence.startMs) <= toleranceMs),
  ).length
}
