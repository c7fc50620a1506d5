// Which model to take for a task: the configured one, the one that `models use` named, else the best for this machine.

import { availableParallelism, freemem, totalmem } from 'node:os'
import type { Config } from '../config.ts'
import { readJsonFile, writeJsonFile } from '../lib/json-file.ts'
import type { Log } from '../lib/log.ts'
import { Problem } from '../lib/problem.ts'
import { parser, t } from '../lib/schema.ts'
import type { Model, ModelTask } from './model-catalogue.ts'
import type { InstalledModel } from './model-store.ts'

export interface Machine {
  readonly cores: number
  readonly memoryBytes: number
}

/** Share of the memory that one model may take: the rest is for the server, ffmpeg and the page cache. */
const MEMORY_SHARE = 0.6

/** `total`: what never changes while the machine runs. `free`: what is there right now. Respects cgroup limits. */
export function thisMachine(memory: 'total' | 'free'): Machine {
  const limitBytes = process.constrainedMemory() || Number.POSITIVE_INFINITY
  const memoryBytes = Math.min(memory === 'total' ? totalmem() : freemem(), limitBytes)
  return { cores: availableParallelism(), memoryBytes }
}

function fits(model: Model, machine: Machine): boolean {
  return model.coresMin <= machine.cores && model.memoryBytes <= machine.memoryBytes * MEMORY_SHARE
}

/** For each task the id of the best model that this machine can run, embedded ones included. */
export function recommend(
  models: readonly Model[],
  machine: Machine,
): Readonly<Partial<Record<ModelTask, string>>> {
  const best: Partial<Record<ModelTask, Model>> = {}
  for (const model of models) {
    if (model.rank > (best[model.task]?.rank ?? 0) && fits(model, machine)) best[model.task] = model
  }
  return Object.fromEntries(Object.entries(best).map(([task, model]) => [task, model.id]))
}

/**
 * The best of the installed models. One too slow for the machine is still better than none that was installed on
 * purpose, as long as its memory is there; then the lightest wins. Models of rank 0 are never chosen by themselves.
 */
export function bestOf<M extends Model>(installed: readonly M[], machine: Machine): M | undefined {
  const eligible = installed.filter((model) => model.rank > 0 && !model.embedded)
  const suitable = eligible.filter((model) => fits(model, machine)).toSorted((a, b) => b.rank - a.rank)
  const bearable = eligible
    .filter((model) => model.memoryBytes <= machine.memoryBytes * MEMORY_SHARE)
    .toSorted((a, b) => a.coresMin - b.coresMin || a.memoryBytes - b.memoryBytes)
  return suitable[0] ?? bearable[0] ?? installed.find((model) => model.embedded)
}

const UsesParser = parser(t.Record(t.String(), t.String()))

/** What `models use` named, task by task. */
export interface Uses {
  get(task: ModelTask): string | undefined
  /** undefined: back to the best one. */
  set(task: ModelTask, id: string | undefined): void
}

/** Read at every question, because another process may have written it. */
export function createUses(path: string): Uses {
  return {
    get: (task) => readJsonFile(path, UsesParser, {})[task],
    set(task, id) {
      const { [task]: _, ...others } = readJsonFile(path, UsesParser, {})
      writeJsonFile(path, id === undefined ? others : { ...others, [task]: id })
    },
  }
}

export interface ChosenModel extends InstalledModel {
  /** `configured`: by a setting. `used`: by `models use`. `best`: by this machine's size. */
  readonly why: 'configured' | 'used' | 'best'
}

export interface Chooser {
  /** The model to take; undefined when none is there. Throws Problem when the configured one is not installed. */
  findChoice(task: ModelTask): Promise<ChosenModel | undefined>
  /** As `findChoice`, but throws Problem when none is there. `speech`, `vad` and `embedding` always have an embedded one. */
  choose(task: ModelTask): Promise<ChosenModel>
}

export interface ChooserParts {
  readonly config: Pick<Config, 'speechModel' | 'embeddingModel' | 'rerankModel' | 'llmModel' | 'llmUrl'>
  readonly log: Log
  readonly find: (id: string) => Promise<Model | undefined>
  readonly installed: (task: ModelTask) => Promise<InstalledModel[]>
  readonly uses: Uses
}

export function createChooser({ config, log, find, installed, uses }: ChooserParts): Chooser {
  const configured: Partial<Record<ModelTask, { readonly id: string; readonly setting: string }>> = {
    speech: { id: config.speechModel, setting: 'EARSHOT_SPEECH_MODEL' },
    embedding: { id: config.embeddingModel, setting: 'EARSHOT_EMBEDDING_MODEL' },
    rerank: { id: config.rerankModel, setting: 'EARSHOT_RERANK_MODEL' },
    // With a server named, the setting names one of its models.
    ...(config.llmUrl === undefined ? { llm: { id: config.llmModel, setting: 'EARSHOT_LLM_MODEL' } } : {}),
  }

  async function missing(setting: string, id: string, task: ModelTask): Promise<Problem> {
    const model = await find(id)
    const start = `${setting} names "${id}", which is`
    if (!model) return new Problem('not_found', `${start} no model. "earshot models list" shows all of them.`)
    if (model.task !== task)
      return new Problem('not_found', `${start} a model for ${model.task}, not ${task}.`)
    return new Problem('not_found', `${start} not installed. Run "earshot models pull ${id}".`)
  }

  async function findChoice(task: ModelTask): Promise<ChosenModel | undefined> {
    const candidates = await installed(task)
    const wanted = configured[task]
    if (wanted && wanted.id !== 'auto') {
      const model = candidates.find((candidate) => candidate.id === wanted.id)
      if (!model) throw await missing(wanted.setting, wanted.id, task)
      return { ...model, why: 'configured' }
    }
    const usedId = uses.get(task)
    const used = candidates.find((candidate) => candidate.id === usedId)
    if (used) return { ...used, why: 'used' }
    if (usedId !== undefined)
      log.warn({ task, model: usedId }, 'the model that "models use" named is not installed')
    const best = bestOf(candidates, thisMachine('total'))
    return best ? { ...best, why: 'best' } : undefined
  }

  return {
    findChoice,
    async choose(task) {
      const choice = await findChoice(task)
      if (choice) return choice
      throw new Problem(
        'not_found',
        `No model for ${task} is installed. "earshot models list" shows what there is.`,
      )
    },
  }
}
