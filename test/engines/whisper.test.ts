// The whisper path for real: worker, model and recordings. whisper-cli from the same source is the reference.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createNative } from '../../src/engines/native.ts'
import type { SpeechHints, SpeechSegment, SpeechWindow } from '../../src/engines/speech-engine.ts'
import { createWhisper, type Whisper, type WhisperOptions } from '../../src/engines/whisper.ts'
import { silentLog } from '../../src/lib/log.ts'
import { runProgram } from '../../src/lib/process.ts'
import { Problem } from '../../src/lib/problem.ts'
import { writeRandomWhisper } from '../support/random-whisper.ts'
import { isGone } from '../support/processes.ts'
import { readSamples, type Sample, startsFound, windowsOf, wordErrors, wordsOf } from '../support/samples.ts'

const MODEL = resolve(import.meta.dir, '../../models/demo-whisper/ggml-demo.en-q5_0.bin')
const WINDOW_MS = 30_000
const THREADS = 1

const folder = mkdtempSync(join(tmpdir(), 'earshot-whisper-'))
let engine: Whisper
beforeAll(() => {
  engine = start()
})
afterAll(async () => {
  await engine.close()
  rmSync(folder, { recursive: true })
})

function start(options: Partial<WhisperOptions> = {}): Whisper {
  return createWhisper({
    modelId: 'demo-whisper',
    modelPath: MODEL,
    native: createNative({ cacheDir: folder }),
    threads: THREADS,
    idleMs: 60_000,
    log: silentLog(),
    ...options,
  })
}

async function transcribe(windows: readonly SpeechWindow[]): Promise<SpeechSegment[]> {
  const segments: SpeechSegment[] = []
  for (const window of windows) {
    const result = await engine.transcribeWindow(window, {
      language: undefined,
      signal: new AbortController().signal,
    })
    expect(result.language).toBe('en')
    segments.push(...result.segments)
  }
  return segments
}

/** Built by the set-up of `npm test`; here on first use when a test file is run by itself. */
async function buildWhisperCli(): Promise<string> {
  const script = resolve(import.meta.dir, '../../scripts/whisper.mjs')
  const { exitCode, stdout, stderr } = await runProgram({
    command: [process.execPath, script, 'whisper-cli'],
  })
  if (exitCode !== 0) throw new Error(stderr)
  return stdout.trim()
}

/** What whisper-cli from the same source hears in one window. */
async function referenceText(whisperCli: string, window: SpeechWindow): Promise<string> {
  const path = join(folder, 'window.wav')
  writeFileSync(path, wavOf(window.samples))
  const command = [whisperCli, '-m', MODEL, '-f', path, '-t', String(THREADS), '-np']
  const { exitCode, stdout, stderr } = await runProgram({ command })
  if (exitCode !== 0) throw new Error(stderr)
  return stdout.replaceAll(/^\[[^\]]*\]/gm, '')
}

function wavOf(samples: Int16Array): Buffer {
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + samples.byteLength, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(16_000, 24)
  head.writeUInt32LE(32_000, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples.byteLength, 40)
  return Buffer.concat([head, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)])
}

const longest = (): Sample => {
  const sample = readSamples('vocabulary-').find(({ name }) => name === 'vocabulary-long-0')
  if (!sample) throw new Error('the sample is missing')
  return sample
}

/** All but one long recording, which test/e2e/whisper.test.ts hears too: this test decodes everything twice. */
const compared = (): readonly Sample[] =>
  readSamples('vocabulary-').filter(({ name }) => name !== 'vocabulary-long-1')

function firstWindowOf(maxMs: number): SpeechWindow {
  const window = windowsOf(longest(), maxMs)[0]
  if (!window) throw new Error('the sample has no window')
  return window
}

/** Ten sentences, some seconds of work. */
const firstWindow = (): SpeechWindow => firstWindowOf(WINDOW_MS)
/** One sentence. */
const shortWindow = (): SpeechWindow => firstWindowOf(1)

describe('Whisper', () => {
  test(
    'hears the recordings of its vocabulary, with times, as whisper-cli does',
    async () => {
      const whisperCli = await buildWhisperCli()
      const total = { words: 0, errors: 0, sentences: 0, starts: 0, reference: 0, different: 0 }
      for (const sample of compared()) {
        const windows = windowsOf(sample, WINDOW_MS)
        const segments = await transcribe(windows)
        const heard = wordsOf(segments.map((segment) => segment.text).join(' '))
        const reference: string[] = []
        for (const window of windows) reference.push(...wordsOf(await referenceText(whisperCli, window)))
        const expected = wordsOf(sample.text)
        total.words += expected.length
        total.errors += wordErrors(expected, heard)
        total.sentences += sample.sentences.length
        total.starts += startsFound(sample.sentences, segments, 300)
        total.reference += reference.length
        total.different += wordErrors(reference, heard)
        expectInOrder(segments, windows)
      }
      console.log('whisper path on vocabulary-*:', total)
      expect(total.errors / total.words).toBeLessThanOrEqual(0.05)
      expect(total.starts / total.sentences).toBeGreaterThanOrEqual(0.95)
      expect(1 - total.different / total.reference).toBeGreaterThanOrEqual(0.98)
    },
    { timeout: 240_000 },
  )

  test('hears the same in a window whatever the worker heard before', async () => {
    const long = readSamples('vocabulary-').find(({ name }) => name === 'vocabulary-long-0')
    const [first, second] = long ? windowsOf(long, 15_000) : []
    if (!first || !second) throw new Error('two windows are needed')
    const alone = await transcribe([second])
    expect((await transcribe([first, second])).slice(-alone.length)).toEqual(alone)
  }, 60_000)

  test('stops within two seconds when it is cancelled, and answers the next request', async () => {
    const controller = new AbortController()
    const work = engine.transcribeWindow(firstWindow(), { language: 'en', signal: controller.signal })
    let cancelledAt = 0
    setTimeout(() => {
      cancelledAt = performance.now()
      controller.abort(new Error('enough'))
    }, 300)
    expect(await work.catch((error: unknown) => error)).toEqual(new Error('enough'))
    expect(performance.now() - cancelledAt).toBeLessThan(2_000)
    expect(await transcribe([shortWindow()])).toHaveLength(1)
  })

  test('turns the death of its worker into a problem worth a retry, and the retry works', async () => {
    for (const signal of ['SIGKILL', 'SIGSEGV'] as const) {
      await transcribe([shortWindow()])
      const { pid } = engine
      if (pid === undefined) throw new Error('there is no worker to kill')
      const work = transcribe([firstWindow()]).catch((error: unknown) => error)
      setTimeout(() => process.kill(pid, signal), 200)
      const problem = await work
      if (!(problem instanceof Problem)) throw new TypeError(`expected a Problem, got ${String(problem)}`)
      expect(problem.code).toBe('transcription_failed')
      expect(problem.temporary).toBe(true)
      const segments = await transcribe([shortWindow()])
      expect(segments.map((segment) => segment.text)).toEqual(['can you write with my mother.'])
    }
  })

  test('leaves no process behind when it is closed, and starts again when it is asked again', async () => {
    const other = start()
    const ask = () =>
      other.transcribeWindow(shortWindow(), { language: 'en', signal: new AbortController().signal })
    const first = await ask()
    const { pid } = other
    await other.close()
    expect(other.pid).toBeUndefined()
    expect(await isGone(pid ?? 0)).toBe(true)
    expect(await ask()).toEqual(first)
    await other.close()
  })

  test('gives its memory back when it has been idle', async () => {
    const idle = start({ idleMs: 50 })
    await idle.transcribeWindow(shortWindow(), { language: 'en', signal: new AbortController().signal })
    const { pid } = idle
    expect(pid).toBeNumber()
    expect(await isGone(pid ?? 0)).toBe(true)
    await idle.close()
  })

  test('detects the language with a multilingual model, takes a given one, refuses an unknown one', async () => {
    const modelPath = join(folder, 'multilingual.bin')
    writeRandomWhisper(modelPath, { multilingual: true, width: 64, layers: 1 })
    const other = start({ modelPath })
    expect(other.multilingual).toBe(true)
    const ask = (language: string | undefined) =>
      other.transcribeWindow(shortWindow(), { language, signal: new AbortController().signal })
    expect((await ask(undefined)).language).toMatch(/^[a-z]{2,3}$/)
    expect((await ask('de')).language).toBe('de')
    const refused = await ask('xx').catch((error: unknown) => error)
    if (!(refused instanceof Problem)) throw new TypeError(`expected a Problem, got ${String(refused)}`)
    expect(refused.message).toContain('"xx"')
    expect(refused.temporary).toBe(false)
    await other.close()
  })

  test('translates, takes a prompt and a temperature', async () => {
    const modelPath = join(folder, 'translating.bin')
    writeRandomWhisper(modelPath, { multilingual: true, width: 64, layers: 1 })
    const other = start({ modelPath })
    expect(other.translates).toBe(true)
    expect(start({ modelPath, canTranslate: false }).translates).toBe(false)
    const signal = new AbortController().signal
    const ask = (hints: SpeechHints) =>
      other.transcribeWindow(shortWindow(), { language: 'de', signal, ...hints })
    const plain = await ask({})
    // Nonsense of a random model, but another one for everything that reaches the decoder.
    for (const hints of [{ translate: true }, { prompt: 'Earshot, Moonshine' }, { temperature: 1 }]) {
      const { language, segments } = await ask(hints)
      expect(language).toBe('de')
      expect({ hints, segments }).not.toEqual({ hints, segments: plain.segments })
    }
    // Longer than the model's memory for it: its end counts.
    expect((await ask({ prompt: 'word '.repeat(5_000) })).language).toBe('de')
    await other.close()
  })

  test('hears nothing in silence', async () => {
    const window = { startMs: 0, endMs: 5_000, samples: new Int16Array(80_000), utterances: [] }
    expect(await transcribe([window])).toEqual([])
  })

  test('knows from the model that it is English only, and refuses what is no model', () => {
    expect(engine.multilingual).toBe(false)
    const path = join(folder, 'no-model.bin')
    writeFileSync(path, 'this is not a model')
    const options = { modelId: 'x', native: createNative({ cacheDir: folder }), threads: 1, idleMs: 1_000 }
    const open = (modelPath: string) => () => createWhisper({ ...options, modelPath, log: silentLog() })
    expect(open(path)).toThrow('is not a Whisper model')
    expect(open(join(folder, 'missing.bin'))).toThrow("can't be read")
  })
})

/** Ascending, not overlapping, inside their windows, words inside their segments. */
function expectInOrder(segments: readonly SpeechSegment[], windows: readonly SpeechWindow[]): void {
  let earliestMs = 0
  for (const segment of segments) {
    expect(segment.startMs).toBeGreaterThanOrEqual(earliestMs)
    expect(segment.endMs).toBeGreaterThan(segment.startMs)
    expect(segment.endMs).toBeLessThanOrEqual(windows.at(-1)?.endMs ?? 0)
    earliestMs = segment.startMs
    for (const word of segment.words ?? []) {
      expect(word.startMs).toBeGreaterThanOrEqual(earliestMs)
      expect(word.endMs).toBeGreaterThanOrEqual(word.startMs)
      expect(word.endMs).toBeLessThanOrEqual(segment.endMs)
      earliestMs = word.startMs
    }
    earliestMs = segment.endMs
  }
}
