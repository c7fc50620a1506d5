// How fast speech becomes text: wall and CPU time on the same audio, alternating within one run, for the speech path
// with Moonshine, the same path with Whisper's worker, and whisper-cli with the same source, model and threads, built as
// its authors build it.
// `bun scripts/bench/speech.ts [--threads N] [--rounds N] [--seconds N]`; one engine: `--one moonshine|whisper FILE MODEL`.

import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { createChild } from '../../src/engines/child.ts'
import { createFfmpeg } from '../../src/engines/ffmpeg.ts'
import { createMoonshine } from '../../src/engines/moonshine.ts'
import { createNative } from '../../src/engines/native.ts'
import { createOnnx } from '../../src/engines/onnx.ts'
import { createSpeech } from '../../src/engines/speech.ts'
import type { SpeechEngine } from '../../src/engines/speech-engine.ts'
import { createGate } from '../../src/lib/gate.ts'
import { silentLog } from '../../src/lib/log.ts'
import { HOUR, MINUTE } from '../../src/lib/time.ts'
import { writeRandomModel } from './random-model.ts'

const ROOT = resolve(import.meta.dir, '../..')
const FOLDER = join(ROOT, '.cache/bench')
const HEAD_MODEL = join(ROOT, 'models/demo-whisper/ggml-demo.en-q5_0.bin')

interface Measure {
  readonly wallS: number
  readonly cpuS: number
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    one: { type: 'string' },
    threads: { type: 'string', default: '1' },
    rounds: { type: 'string', default: '3' },
    seconds: { type: 'string', default: '1200' },
  },
})
const threads = Number(values.threads)

if (values.one === undefined) await compare()
else await transcribeOnce(values.one, positionals[0] ?? '', positionals[1] ?? '')

async function compare(): Promise<void> {
  mkdirSync(FOLDER, { recursive: true })
  const model = join(FOLDER, 'random-tiny.en.bin')
  if (!existsSync(model)) writeRandomModel(HEAD_MODEL, model)
  const build = [process.execPath, join(ROOT, 'scripts/whisper.mjs'), 'whisper-cli', 'plain']
  const whisperCli = (await new Response(Bun.spawn(build, { cwd: ROOT }).stdout).text()).trim()
  const seconds = Number(values.seconds)
  const continuous = await makeContinuous(seconds)
  const recordings = {
    'continuous speech': continuous,
    '50 % silence': await makeHalfSilent(continuous, seconds),
  }
  const own = (engine: string, path: string): string[] => [
    process.execPath,
    import.meta.path,
    '--one',
    engine,
    '--threads',
    String(threads),
    path,
    model,
  ]
  console.log(`${seconds} s of audio, ${threads} thread(s), median of ${values.rounds} rounds\n`)
  console.log(
    '| audio | engine | wall | CPU | real-time factor | wall / whisper-cli |\n|---|---|---|---|---|---|',
  )
  for (const [audio, path] of Object.entries(recordings)) {
    const greedy = ['-bs', '1', '-bo', '1', '-nf', '-np']
    const commands = {
      'whisper-cli': [whisperCli, '-m', model, '-f', path, '-t', String(threads), ...greedy],
      'Earshot (Whisper)': own('whisper', path),
      'Earshot (Moonshine)': own('moonshine', path),
    }
    const measured: Record<string, Measure[]> = {}
    for (let round = 0; round < Number(values.rounds); round++) {
      for (const [name, command] of Object.entries(commands)) {
        measured[name] = [...(measured[name] ?? []), await measure(command)]
      }
    }
    const reference = medianOf(measured['whisper-cli'] ?? [], 'wallS')
    for (const [name, runs] of Object.entries(measured)) {
      const wallS = medianOf(runs, 'wallS')
      const cells = [audio, name, `${wallS.toFixed(2)} s`, `${medianOf(runs, 'cpuS').toFixed(2)} s`]
      console.log(
        `| ${[...cells, (wallS / seconds).toFixed(3), (wallS / reference).toFixed(2)].join(' | ')} |`,
      )
    }
  }
}

function medianOf(runs: readonly Measure[], field: keyof Measure): number {
  const sorted = runs.map((run) => run[field]).toSorted((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

/** CPU time includes that of the program's children. */
async function measure(command: readonly string[]): Promise<Measure> {
  const startedAt = performance.now()
  const child = Bun.spawn([...command], { stdout: 'ignore', stderr: 'pipe' })
  const stderr = await new Response(child.stderr).text()
  if ((await child.exited) !== 0) throw new Error(`${command.join(' ')}\n${stderr}`)
  const wallS = (performance.now() - startedAt) / 1_000
  return { wallS, cpuS: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1_000_000 }
}

/** The sample recordings one after the other, over and over, their sentences a breath apart. */
async function makeContinuous(seconds: number): Promise<string> {
  const path = join(FOLDER, `continuous-${seconds}.wav`)
  const inputs = [1, 2, 3, 4, 5].map((index) => {
    const name = ['news', 'weather', 'sport', 'energy', 'music'][index - 1] ?? ''
    return join(ROOT, `test/samples/sample-${index}-${name}.wav`)
  })
  const trim = 'silenceremove=stop_periods=-1:stop_duration=0.3:stop_threshold=-45dB'
  const chains = inputs.map((_, index) => `[${index}:a]${trim}[a${index}]`).join(';')
  const joined = `${inputs.map((_, index) => `[a${index}]`).join('')}concat=n=${inputs.length}:v=0:a=1`
  const graph = `${chains};${joined},aloop=loop=-1:size=16000*3600,atrim=0:${seconds}`
  await ffmpeg([...inputs.flatMap((input) => ['-i', input]), '-filter_complex', graph, path])
  return path
}

/** Twenty seconds of speech, twenty of silence. */
async function makeHalfSilent(continuous: string, seconds: number): Promise<string> {
  const path = join(FOLDER, `half-silent-${seconds}.wav`)
  await ffmpeg(['-i', continuous, '-af', "volume='lt(mod(t,40),20)':eval=frame", path])
  return path
}

async function ffmpeg(args: readonly string[]): Promise<void> {
  const command = [
    'ffmpeg',
    '-v',
    'error',
    '-y',
    ...args.slice(0, -1),
    '-ac',
    '1',
    '-ar',
    '16000',
    args.at(-1) ?? '',
  ]
  const child = Bun.spawn(command, { stderr: 'inherit' })
  if ((await child.exited) !== 0) throw new Error(`ffmpeg failed: ${command.join(' ')}`)
}

/** One transcription through the whole path, processes started and ended: what the benchmark measures. */
async function transcribeOnce(name: string, path: string, model: string): Promise<void> {
  const log = silentLog()
  const onnx = createOnnx({ cacheDir: join(FOLDER, 'native'), threads, idleMs: MINUTE, log })
  const config = { ffmpegPath: undefined, ffprobePath: undefined }
  const speech = createSpeech({ ffmpeg: createFfmpeg(config), onnx, gate: createGate(1) })
  const engine = name === 'moonshine' ? createMoonshine(onnx) : createWhisperWorker(model)
  await speech.transcribe(path, {
    engine,
    signal: AbortSignal.timeout(HOUR),
    maxS: HOUR,
    onWindow: () => undefined,
  })
  await engine.close()
  await onnx.close()
}

/** Whisper's worker, asked to decode as whisper-cli does above: greedily, once. A random model has no words to place. */
function createWhisperWorker(model: string): SpeechEngine {
  const native = createNative({ cacheDir: join(FOLDER, 'native') })
  const child = createChild({
    name: 'Whisper',
    command: () => [native.path('whisper-worker'), model],
    env: { OMP_WAIT_POLICY: 'passive' },
    code: 'transcription_failed',
    idleMs: MINUTE,
    startTimeoutMs: MINUTE,
    log: silentLog(),
  })
  const header = {
    op: 'transcribe',
    language: 'en',
    threads,
    beam: 1,
    bestOf: 1,
    temperatureInc: 0,
    words: true,
  }
  return {
    modelId: 'random-tiny.en',
    multilingual: false,
    async transcribeWindow({ samples }, { signal }) {
      const pcm = new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
      await child.request(header, pcm, { signal })
      return { segments: [], language: 'en' }
    },
    close: () => child.close(),
  }
}
