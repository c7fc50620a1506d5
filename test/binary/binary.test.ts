// The compiled binary, far from this checkout: everything it needs is inside it.

import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, readdirSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { type Child, createChild } from '../../src/engines/child.ts'
import { ONNX_ENV } from '../../src/engines/onnx.ts'
import { silentLog } from '../../src/lib/log.ts'
import { Problem } from '../../src/lib/problem.ts'
import { type ProgramResult, runProgram } from '../../src/lib/process.ts'
import { copyElsewhere, type Elsewhere, REPOSITORY } from '../support/elsewhere.ts'
import { readSamples, windowsOf, wordErrors, wordsOf } from '../support/samples.ts'

let elsewhere: Elsewhere
const children: Child[] = []

beforeAll(async () => {
  elsewhere = await copyElsewhere()
  if (elsewhere.notHidden !== undefined) {
    console.warn(`The checkout can't be hidden from the binary here: ${elsewhere.notHidden}`)
  }
})
afterAll(async () => {
  await Promise.all(children.map((child) => child.close()))
  elsewhere[Symbol.dispose]()
})

function run(args: readonly string[], env: Record<string, string> = {}): Promise<ProgramResult> {
  return runProgram({ command: elsewhere.command(args), cwd: elsewhere.folder.path, env })
}

/** The binary's own speech engine, extracting to `cache`. */
function speechEngine(cache: string, noexec?: string): Child {
  const child = createChild({
    name: 'Speech engine',
    command: () => elsewhere.command(['engine', 'onnx'], noexec),
    env: { [ONNX_ENV.cacheDir]: cache, [ONNX_ENV.threads]: '1' },
    code: 'transcription_failed',
    idleMs: 60_000,
    startTimeoutMs: 60_000,
    log: silentLog(),
  })
  children.push(child)
  return child
}

function speech(): { pcm: Uint8Array; text: string } {
  const [sample] = readSamples('sample-')
  const window = sample && windowsOf(sample, 8_000)[0]
  if (!sample || !window) throw new Error('the sample is missing')
  const text = sample.sentences
    .slice(0, window.utterances.length)
    .map((sentence) => sentence.text)
    .join(' ')
  const { samples } = window
  return { pcm: new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength), text }
}

async function textHeard(engine: Child, pcm: Uint8Array): Promise<string> {
  const answer = await engine.request({ op: 'moonshine' }, pcm)
  return String(answer.header['text'])
}

describe('the binary, away from its source', () => {
  test('does not see the checkout, and runs', async () => {
    if (elsewhere.notHidden === undefined) {
      const look = elsewhere.command([]).slice(0, -1)
      const { stdout } = await runProgram({ command: [...look, 'ls', '-A', REPOSITORY] })
      expect(stdout).toBe('')
    }
    const { exitCode, stdout } = await run(['--version'])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  test('recognises speech with what it carries', async () => {
    const { pcm, text } = speech()
    const heard = await textHeard(speechEngine(join(elsewhere.folder.path, 'cache')), pcm)
    expect(wordErrors(wordsOf(text), wordsOf(heard))).toBeLessThanOrEqual(1)
  })

  test('transcribes a file by both of its engines', async () => {
    const wav = join(elsewhere.folder.path, 'sentence.wav')
    const models = join(elsewhere.folder.path, 'models')
    cpSync(join(REPOSITORY, 'test/samples/vocabulary-sentence-1.wav'), wav)
    cpSync(join(REPOSITORY, 'models/demo-whisper'), models, { recursive: true })
    const expected = 'she said that he should close again.'
    const moonshine = await run(['transcribe', wav])
    expect(moonshine.stderr).not.toContain('earshot:')
    expect(wordsOf(moonshine.stdout)).toEqual(wordsOf(expected))
    const env = { EARSHOT_MODELS: models, EARSHOT_SPEECH_MODEL: 'whisper-demo-en' }
    const whisper = await run(['transcribe', wav], env)
    expect(whisper.stderr).not.toContain('earshot:')
    expect(whisper.stdout.trim()).toBe(expected)
  }, 30_000)

  test('extracts each native file once, and again when it is damaged', async () => {
    const cache = join(elsewhere.folder.path, 'cache-2')
    const { pcm } = speech()
    const first = await textHeard(speechEngine(cache), pcm)
    const files = readdirSync(cache, { recursive: true, encoding: 'utf8' }).toSorted()
    expect(files.some((name) => name.endsWith('.tmp'))).toBe(false)
    const library = files.find((name) => name.endsWith('libonnxruntime.so.1')) ?? ''
    truncateSync(join(cache, library), 1_000_000)
    expect(await textHeard(speechEngine(cache), pcm)).toBe(first)
    expect(readdirSync(cache, { recursive: true, encoding: 'utf8' }).toSorted()).toEqual(files)
  })

  test('says what to do when its folder does not allow programs to run', async () => {
    if (elsewhere.notHidden !== undefined) {
      console.warn(`A noexec folder can't be made here: ${elsewhere.notHidden}`)
      return
    }
    const cache = join(elsewhere.folder.path, 'noexec')
    mkdirSync(cache)
    const engine = speechEngine(cache, cache)
    const error = await textHeard(engine, speech().pcm).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(Problem)
    expect((error as Problem).message).toContain('EARSHOT_DATA')
  })

  test('leaves the settings of the folder it is started in alone', async () => {
    elsewhere.folder.write('.env', 'EARSHOT_LOG=nonsense\n')
    elsewhere.folder.write('bunfig.toml', 'preload = ["./missing.ts"]\n')
    const { exitCode, stderr } = await run(['keys', 'list'])
    expect(stderr).not.toContain('EARSHOT_LOG')
    expect(exitCode).toBe(0)
    expect(existsSync(join(elsewhere.folder.path, 'data'))).toBe(true)
  })

  test('prints the licences of what it contains', async () => {
    const { exitCode, stdout } = await run(['licences'])
    expect(exitCode).toBe(0)
    for (const name of ['whisper.cpp and ggml', 'onnxruntime-node', 'Silero VAD', 'Bun']) {
      expect(stdout).toContain(`| ${name}`)
    }
  })
})
