// The whole speech path with its real engines: words, times, silence and noise, resuming, cancelling, language.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseCheckpoint, type SpeechCheckpoint } from '../../src/engines/speech.ts'
import type { SpeechEngine, SpeechSegment, WindowOptions } from '../../src/engines/speech-engine.ts'
import { sha256 } from '../../src/lib/id.ts'
import { Problem } from '../../src/lib/problem.ts'
import { runProgram } from '../../src/lib/process.ts'
import { isGone } from '../support/processes.ts'
import { readSamples } from '../support/samples.ts'
import { scoredWords } from '../support/score.ts'
import { createRealSpeech, JFK_PATH, type RealSpeech, transcribe } from '../support/speech.ts'

const JFK_WORDS = scoredWords(
  'And so my fellow Americans ask not what your country can do for you, ask what you can do for your country.',
)
// Real models on cores that others use too.
setDefaultTimeout(120_000)

const folder = mkdtempSync(join(tmpdir(), 'earshot-speech-'))
let real: RealSpeech

beforeAll(() => {
  real = createRealSpeech()
})
afterAll(async () => {
  await real.close()
  rmSync(folder, { recursive: true })
})

/** Makes a sound file with ffmpeg; `args` come between the program and the file's name. */
async function make(name: string, args: readonly string[]): Promise<string> {
  const path = join(folder, name)
  const { exitCode, stderr } = await runProgram({ command: ['ffmpeg', '-v', 'error', ...args, path] })
  expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
  return path
}

function textOf(segments: readonly SpeechSegment[]): string {
  return segments.map((segment) => segment.text).join(' ')
}

function checkOrder(segments: readonly SpeechSegment[], durationMs: number): void {
  let endMs = 0
  for (const segment of segments) {
    expect(segment.startMs).toBeGreaterThanOrEqual(endMs)
    expect(segment.endMs).toBeGreaterThan(segment.startMs)
    expect(segment.text).not.toBe('')
    endMs = segment.endMs
  }
  expect(endMs).toBeLessThanOrEqual(durationMs)
}

/** Gives each window a text that tells its exact samples; speaks every language it is told to. */
function fingerprintEngine(options: Partial<SpeechEngine> = {}): SpeechEngine {
  return {
    modelId: 'fingerprint',
    multilingual: false,
    windowLimits: {
      cutAt: 'longest',
      tailMs: 0,
      minMs: 2_000,
      maxMs: 6_000,
      breakPauseMs: 500,
      closePauseMs: 1_000,
      keptPauseMs: 1_500,
    },
    transcribeWindow: async ({ samples, startMs, endMs }) => {
      const bytes = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
      return { segments: [{ startMs, endMs, text: sha256(bytes) }], language: 'en' }
    },
    close: async () => undefined,
    ...options,
  }
}

describe('real speech, with the embedded model', () => {
  test("a president's sentence is word-perfect, in sentence-like segments", async () => {
    const { segments, language, durationMs, speechMs } = await transcribe(real, JFK_PATH)
    expect(scoredWords(textOf(segments))).toEqual(JFK_WORDS)
    expect(segments.length).toBeLessThanOrEqual(3)
    expect(segments[0]?.startMs).toBeWithin(50, 650)
    expect(language).toBe('en')
    expect(durationMs).toBe(11_000)
    expect(speechMs).toBeWithin(6_000, 10_500)
    checkOrder(segments, durationMs)
  })

  test('with its pauses stretched to minutes it stays word-perfect', async () => {
    const cut = (from: number, to: number, index: number): string =>
      `[0:a]aresample=16000,atrim=${from}:${to},asetpts=PTS-STARTPTS,apad=pad_dur=${60 + 20 * index}[p${index}]`
    const parts = [cut(0, 2.8, 0), cut(2.8, 4.9, 1), cut(4.9, 7.9, 2), cut(7.9, 11, 3)]
    const graph = `${parts.join(';')};[p0][p1][p2][p3]concat=n=4:v=0:a=1`
    const path = await make('stretched.flac', ['-i', JFK_PATH, '-filter_complex', graph, '-ac', '1'])
    const { segments, durationMs, speechMs } = await transcribe(real, path)
    expect(scoredWords(textOf(segments))).toEqual(JFK_WORDS)
    expect(segments.map(({ startMs }) => Math.round(startMs / 1_000))).toEqual([0, 63, 145, 248])
    expect(durationMs).toBeWithin(370_000, 372_000)
    expect(speechMs).toBeLessThan(11_000)
    checkOrder(segments, durationMs)
  })
})

describe('what is no speech', () => {
  const sources = {
    'silence.wav': 'anullsrc=r=16000:cl=mono',
    'white.wav': 'anoisesrc=color=white:amplitude=0.5:seed=7',
    'pink.wav': 'anoisesrc=color=pink:amplitude=0.5:seed=7',
    'throbbing.wav': 'anoisesrc=color=pink:amplitude=0.4:seed=3,tremolo=f=4:d=0.9,bandpass=f=1000:w=800',
    'tone.wav': 'sine=frequency=440',
    'chord.wav':
      'aevalsrc=0.2*(sin(2*PI*261.6*t)+sin(2*PI*329.6*t)+sin(2*PI*392*t))*(0.6+0.4*sin(2*PI*0.7*t))',
    'melody.wav':
      "aevalsrc='0.3*sin(2*PI*t*(220*pow(2,floor(mod(t*4,12))/12)))*exp(-3*mod(t,0.25))+0.2*sin(2*PI*t*(110*pow(2,floor(mod(t,5))/12)))'",
  }
  for (const [name, source] of Object.entries(sources)) {
    test(`gives no text: ${name}`, async () => {
      const path = await make(name, ['-f', 'lavfi', '-i', source, '-t', '20'])
      const { segments, language, durationMs, speechMs } = await transcribe(real, path)
      expect(segments).toEqual([])
      expect(speechMs).toBe(0)
      expect(language).toBeNull()
      expect(durationMs).toBe(20_000)
    })
  }

  test('a file without any sound is refused', async () => {
    const path = join(folder, 'empty.wav')
    writeFileSync(path, '')
    await expect(transcribe(real, path)).rejects.toMatchObject({ code: 'audio_extraction_failed' })
  })
})

describe('resuming', () => {
  test('after any window ends with the same segments as without a break', async () => {
    const engine = fingerprintEngine()
    const long = readSamples('sample-').find((sample) => sample.name === 'sample-6-long')
    const path = long?.wavPath ?? ''
    const whole = await transcribe(real, path, { engine })
    expect(whole.segments.length).toBeGreaterThan(8)

    for (let stopAfter = 1; stopAfter <= whole.segments.length; stopAfter++) {
      const stored: SpeechSegment[] = []
      let checkpoint: unknown
      const crash = new Error('killed')
      const broken = transcribe(real, path, {
        engine,
        onWindow: (segments, current) => {
          // As in a transaction: with the crash after it, this window's segments are stored, none of the next.
          stored.push(...segments)
          checkpoint = JSON.parse(JSON.stringify(current))
          if (stored.length === stopAfter) throw crash
        },
      })
      await expect(broken).rejects.toBe(crash)
      const resumed = await transcribe(real, path, {
        engine,
        resumeFrom: parseCheckpoint(checkpoint, engine),
      })
      expect([...stored, ...resumed.segments]).toEqual([...whole.segments])
      expect(resumed.speechMs).toBe(whole.speechMs)
      expect(resumed.durationMs).toBe(whole.durationMs)
    }
  })

  test('a checkpoint of another model or of another shape is not used', () => {
    const checkpoint: SpeechCheckpoint = {
      modelId: 'fingerprint',
      blockStart: 0,
      windowsDone: 1,
      vadState: Array.from({ length: 320 }, () => 0),
      windower: { frame: 0, kept: [], utterances: [], open: null, floor: 0 },
      votes: {},
      speechMs: 0,
      positionMs: 0,
    }
    expect(parseCheckpoint(checkpoint, fingerprintEngine())).toEqual(checkpoint)
    expect(parseCheckpoint(checkpoint, real.moonshine)).toBeUndefined()
    expect(parseCheckpoint({ ...checkpoint, vadState: [1] }, fingerprintEngine())).toBeUndefined()
    expect(parseCheckpoint(null, fingerprintEngine())).toBeUndefined()
  })

  test('a file that has become shorter than the checkpoint is refused', async () => {
    const engine = fingerprintEngine()
    let checkpoint: SpeechCheckpoint | undefined
    const long = readSamples('sample-').find((sample) => sample.name === 'sample-6-long')
    await transcribe(real, long?.wavPath ?? '', {
      engine,
      onWindow: (_segments, last) => void (checkpoint = last),
    })
    await expect(transcribe(real, JFK_PATH, { engine, resumeFrom: checkpoint })).rejects.toBeInstanceOf(
      Problem,
    )
  })
})

describe('cancelling', () => {
  test('ends within two seconds and leaves nothing running', async () => {
    const path = await make('long.wav', ['-f', 'lavfi', '-i', 'sine', '-t', '1000', '-ar', '16000'])
    const controller = new AbortController()
    const reason = new Error('not wanted any more')
    let abortedAt = 0
    const run = transcribe(real, path, {
      signal: controller.signal,
      onProgress: ({ positionMs }) => {
        if (positionMs < 30_000 || abortedAt > 0) return
        abortedAt = performance.now()
        controller.abort(reason)
      },
    })
    await expect(run).rejects.toBe(reason)
    expect(performance.now() - abortedAt).toBeLessThan(2_000)
    const { stdout } = await runProgram({ command: ['ps', '-eo', 'args'] })
    expect(stdout).not.toContain(path)
  })

  test('a killed speech process is a temporary failure, and the next run works', async () => {
    const run = transcribe(real, JFK_PATH, {
      onProgress: () => undefined,
      engine: {
        ...real.moonshine,
        transcribeWindow: (window, options) => {
          const { pid } = real.onnx
          const running = real.moonshine.transcribeWindow(window, options)
          if (pid !== undefined) process.kill(pid, 'SIGKILL')
          return running
        },
      },
    })
    await expect(run).rejects.toMatchObject({ code: 'transcription_failed', temporary: true })
    expect(scoredWords(textOf((await transcribe(real, JFK_PATH)).segments))).toEqual(JFK_WORDS)
  })

  test('closing the engine ends its process, and it comes back with the next window', async () => {
    await transcribe(real, JFK_PATH)
    const pid = real.onnx.pid ?? 0
    await real.moonshine.close()
    expect(await isGone(pid)).toBe(true)
    expect((await transcribe(real, JFK_PATH)).segments.length).toBeGreaterThan(0)
  })
})

describe('language', () => {
  const path = readSamples('sample-').at(-1)?.wavPath ?? ''

  /** Detects Danish once, then German; notes what it was told to use. */
  function detecting(told: (string | undefined)[]): SpeechEngine {
    const speak = fingerprintEngine()
    return fingerprintEngine({
      multilingual: true,
      transcribeWindow: async (window, options: WindowOptions) => {
        told.push(options.language)
        const { segments } = await speak.transcribeWindow(window, options)
        return { segments, language: options.language ?? (told.length === 1 ? 'da' : 'de') }
      },
    })
  }

  test('is detected in the first windows and then kept', async () => {
    const told: (string | undefined)[] = []
    expect((await transcribe(real, path, { engine: detecting(told) })).language).toBe('de')
    const detections = told.indexOf('de')
    expect(detections).toBeWithin(2, 6)
    expect(told.slice(0, detections).every((language) => language === undefined)).toBe(true)
    expect(told.slice(detections).every((language) => language === 'de')).toBe(true)
  })

  test('that is given is used from the first window on', async () => {
    const told: (string | undefined)[] = []
    expect((await transcribe(real, path, { engine: detecting(told), language: 'fr' })).language).toBe('fr')
    expect(new Set(told)).toEqual(new Set(['fr']))
  })

  test('does not change what an English-only engine says', async () => {
    const { language } = await transcribe(real, JFK_PATH, { engine: fingerprintEngine(), language: 'fr' })
    expect(language).toBe('en')
  })
})
