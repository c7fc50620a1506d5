// Which speech model a client means: OpenAI's names stand for the one this server would choose, others are ids of the
// catalogue. Nothing that is not installed can be asked for.

import type { App } from '../app.ts'
import type { InstalledModel } from '../engines/model-store.ts'
import type { SpeechEngine } from '../engines/speech-engine.ts'
import { Problem } from '../lib/problem.ts'
import { invalid } from './errors.ts'

type Context = Pick<App, 'engines'>

/** What existing clients send. */
export const ALIASES = ['whisper-1', 'gpt-4o-transcribe', 'gpt-4o-mini-transcribe'] as const

/** OpenAI also names its models by date: `gpt-4o-mini-transcribe-2025-12-15`. */
function isAlias(name: string): boolean {
  const undated = name.replace(/-\d{4}-\d{2}-\d{2}$/, '')
  return ALIASES.some((alias) => alias === undated)
}

export interface ListedModel {
  readonly id: string
  readonly owner: string
}

export async function listModels(app: Context): Promise<readonly ListedModel[]> {
  const installed = await app.engines.models.installed('speech')
  return [
    ...ALIASES.map((id) => ({ id, owner: 'earshot' })),
    ...installed.map(({ id, repository }) => ({ id, owner: repository?.split('/')[0] ?? 'earshot' })),
  ]
}

/** Throws Problem `model_not_found`. */
export async function getModel(app: Context, id: string): Promise<ListedModel> {
  const models = await listModels(app)
  const found =
    models.find((model) => model.id === id) ?? (isAlias(id) ? { id, owner: 'earshot' } : undefined)
  if (found) return found
  throw modelNotFound(id)
}

function modelNotFound(id: string): Problem {
  const shown = id.slice(0, 64).replaceAll(/[^\w.-]/g, '?')
  return new Problem(
    'model_not_found',
    `The model "${shown}" does not exist here or is not installed. GET /v1/models lists those that can be used.`,
    { field: 'model' },
  )
}

/** The engine to transcribe with. Throws Problem `model_not_found`. */
export async function getEngine(app: Context, name: string): Promise<SpeechEngine> {
  const { models } = app.engines
  const id = isAlias(name) ? (await models.choose('speech')).id : name
  const installed = await models.installed('speech')
  if (!installed.some((model) => model.id === id)) throw modelNotFound(name)
  return app.engines.speechEngine(id)
}

/**
 * The engine to translate into English with: the one that was named, or where the name leaves the choice to us, the best
 * one that can. Throws Problem `model_not_found`, or `invalid_parameter` when none that is installed can translate.
 */
export async function getTranslator(app: Context, name: string): Promise<SpeechEngine> {
  const engine = await getEngine(app, name)
  if (engine.translates === true) return engine
  for (const model of isAlias(name) ? byRank(await app.engines.models.installed('speech')) : []) {
    const other = await app.engines.speechEngine(model.id)
    if (other.translates === true) return other
  }
  throw invalid(
    'model',
    `${isAlias(name) ? 'No speech model that is installed here' : `The model ${engine.modelId}`} can translate into ` +
      'English. Multilingual Whisper models can (but not large-v3-turbo): the operator installs one with ' +
      '"earshot models pull whisper-small-q8_0".',
  )
}

function byRank(models: readonly InstalledModel[]): readonly InstalledModel[] {
  return models.toSorted((a, b) => b.rank - a.rank)
}
