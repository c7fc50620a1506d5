// What a doctor looks at: every part of the product, exercised for real, with what to do about each failure.

import jfk from 'nodejs-whisper/cpp/whisper.cpp/samples/jfk.mp3' with { type: 'file' }
import { rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import type { App } from '../app.ts'
import { databasePath } from '../db/database.ts'
import { schemaVersion } from '../db/migrate.ts'
import { USE_LITE_MODEL_ID } from '../engines/model-catalogue.ts'
import { MOONSHINE_MODEL_ID } from '../engines/moonshine.ts'
import { canCutNetwork } from '../engines/sandbox.ts'
import { newId } from '../lib/id.ts'
import { asError } from '../lib/problem.ts'
import { MINUTE, SECOND } from '../lib/time.ts'
import { EgressDenied } from '../net/policy.ts'
import { failed, type Finding, type NamedFinding, ok, type Part, type Within, warning } from './finding.ts'
import { LLM_PART } from './llm.ts'
import { ONLINE_PARTS } from './online.ts'
import { RECORD_PARTS } from './records.ts'

const GIB = 1_073_741_824
const PART_TIMEOUT_MS = 5 * MINUTE

const PARTS: readonly Part[] = [
  { name: 'data folder', required: true, examine: examineFolder },
  { name: 'database', required: true, examine: examineDatabase },
  { name: 'outgoing requests', required: true, examine: examineEgress },
  { name: 'ffmpeg', required: true, examine: examineFfmpeg },
  ...ONLINE_PARTS,
  { name: 'speech', required: true, examine: examineSpeech },
  { name: 'sentence encoder', required: true, examine: examineEmbedding },
  LLM_PART,
  { name: 'models', required: false, examine: examineModels },
  ...RECORD_PARTS,
]

export interface Examination {
  readonly within: Within
  readonly signal?: AbortSignal
  /** Sees each finding as soon as it is known. */
  readonly onFinding: (finding: NamedFinding) => void
}

/** Examines one part after another. Ends early when the signal aborts. */
export async function examineAll(app: App, examination: Examination): Promise<void> {
  for (const part of PARTS) {
    examination.signal?.throwIfAborted()
    examination.onFinding({ name: part.name, ...(await examine(part, app, examination)) })
  }
}

/** How many findings there will be. */
export const PART_COUNT = PARTS.length

async function examine(part: Part, app: App, { within, signal }: Examination): Promise<Finding> {
  const timeout = AbortSignal.timeout(PART_TIMEOUT_MS)
  try {
    const finding = await part.examine(app, signal ? AbortSignal.any([signal, timeout]) : timeout, within)
    return finding.verdict === 'failed' && !part.required ? warning(finding.message) : finding
  } catch (error) {
    const { message } = asError(error)
    return part.required ? failed(message) : warning(message)
  }
}

async function examineFolder(app: App): Promise<Finding> {
  const { dataDir } = app.config
  const probe = join(dataDir, `doctor-${newId()}`)
  await Bun.write(probe, 'x')
  await rm(probe)
  const { bavail, bsize } = await statfs(dataDir)
  const free = `${dataDir}, ${((bavail * bsize) / GIB).toFixed(1)} GiB free`
  return bavail * bsize < 2 * GIB ? warning(`${free}: make room, or move it with EARSHOT_DATA`) : ok(free)
}

/** Reading it through takes a second for some 200 MB, in which nothing else is answered. */
const DATABASE_READ_MAX_BYTES = 100_000_000

async function examineDatabase(app: App, _signal: AbortSignal, within: Within): Promise<Finding> {
  const { size } = await stat(databasePath(app.config.dataDir))
  if (within === 'server' && size > DATABASE_READ_MAX_BYTES) {
    const megabytes = Math.round(size / 1e6)
    return ok(
      `answers, schema version ${schemaVersion(app.db)}, ${megabytes} MB; to read all of it through: earshot doctor`,
    )
  }
  const check = app.db.query<{ quick_check: string }, []>('pragma quick_check').get()
  const foreign = app.db.query('pragma foreign_key_check').all().length
  if (check?.quick_check !== 'ok' || foreign > 0) {
    const reason = check?.quick_check === 'ok' ? `${foreign} broken references` : check?.quick_check
    return failed(`damaged (${reason}): stop the server and restore a backup`)
  }
  return ok(`intact, schema version ${schemaVersion(app.db)}`)
}

/** The guard must let nothing out to this machine unless the operator trusts it. */
async function examineEgress(app: App): Promise<Finding> {
  try {
    await app.fetcher.egress.check('169.254.169.254', 80)
  } catch (error) {
    if (error instanceof EgressDenied) return ok('private addresses are refused')
    throw error
  }
  return warning('link-local addresses are trusted (EARSHOT_TRUSTED_HOSTS): callers can reach cloud metadata')
}

async function examineFfmpeg(app: App, signal: AbortSignal): Promise<Finding> {
  const version = await app.engines.ffmpeg.version({ signal })
  if (canCutNetwork()) return ok(version)
  return warning(`${version}; it can't be cut off from the network here (user namespaces are not permitted)`)
}

/** President Kennedy's sentence of 1961, a recording in the public domain. */
const SENTENCE = /ask not what your country can do for you.* ask what you can do for your country/

/** A clip through ffmpeg, voice detection and the chosen engine, the way jobs do it. */
async function examineSpeech(app: App, signal: AbortSignal): Promise<Finding> {
  const clip = join(app.config.dataDir, `doctor-${newId()}.mp3`)
  await Bun.write(clip, await Bun.file(jfk).bytes())
  try {
    const engine = await app.engines.speechEngine()
    await hear(app, clip, signal)
    const startedAt = performance.now()
    const { text, durationMs } = await hear(app, clip, signal)
    const factor = ((performance.now() - startedAt) / durationMs).toFixed(3)
    const heard = text.toLowerCase().replaceAll(/[^a-z ]/g, '')
    const figures = `${engine.modelId}, real-time factor ${factor} with ${app.config.threads} threads`
    if (SENTENCE.test(heard)) return ok(`${figures}, the test sentence is right`)
    const wrong = `${figures}, but the test sentence came out as "${text}"`
    return engine.modelId === MOONSHINE_MODEL_ID ? failed(wrong) : warning(wrong)
  } finally {
    await rm(clip, { force: true })
  }
}

/** Two sentences that say the same must be closer than two that do not. A few milliseconds. */
async function examineEmbedding(app: App, signal: AbortSignal): Promise<Finding> {
  const embedder = await app.engines.embedder()
  const [question] = await embedder.embed(['when can the ships leave the port'], 'query', signal)
  const [near, far] = await embedder.embed(
    ['The boats get out of the harbour early in the morning.', 'Let the dough rise under a damp towel.'],
    'passage',
    signal,
  )
  const cosine = (other: Float32Array | undefined): number =>
    question?.reduce((sum, value, index) => sum + value * (other?.[index] ?? 0), 0) ?? 0
  const figures = `${embedder.modelId}, ${embedder.dimensions} dimensions, cosines ${cosine(near).toFixed(2)} and ${cosine(far).toFixed(2)}`
  if (cosine(near) > cosine(far)) return ok(`${figures}: what means the same is closer`)
  const wrong = `${figures}: what means the same is not closer than what does not`
  return embedder.modelId === USE_LITE_MODEL_ID ? failed(wrong) : warning(wrong)
}

async function hear(
  app: App,
  path: string,
  signal: AbortSignal,
): Promise<{ text: string; durationMs: number }> {
  const texts: string[] = []
  const { durationMs } = await app.engines.speech.transcribe(path, {
    engine: await app.engines.speechEngine(),
    signal,
    maxS: MINUTE / SECOND,
    onWindow: (segments) => {
      texts.push(...segments.map((segment) => segment.text))
    },
  })
  return { text: texts.join(' '), durationMs }
}

async function examineModels(app: App): Promise<Finding> {
  const states = await app.engines.models.list()
  const installed = states.filter(({ state }) => state === 'installed').map(({ model }) => model.id)
  const speech = states.find(({ inUse, model }) => inUse && model.task === 'speech')?.model
  const better = states.find(({ recommended, model }) => recommended && model.task === 'speech')?.model
  const text = `speech: ${speech?.id ?? 'none'}; installed: ${installed.join(', ') || 'none besides the embedded ones'}`
  const englishOnly = speech?.languages.join() === 'en'
  return englishOnly && better && better.id !== speech.id
    ? ok(`${text}. English only; for other languages: earshot models pull ${better.id}`)
    : ok(text)
}
