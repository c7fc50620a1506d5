// The models Earshot can use: what is known, what is installed, which one to take for a task, and how to get more.
// Every question looks at the disk, so a newly installed model is noticed without a restart.

import { join } from 'node:path'
import type { Config } from '../config.ts'
import type { Log } from '../lib/log.ts'
import { Problem } from '../lib/problem.ts'
import { CATALOGUE, type Model, type ModelTask } from './model-catalogue.ts'
import { type Chooser, createChooser, createUses, recommend, thisMachine } from './model-choice.ts'
import { createInstaller, type Installer } from './model-install.ts'
import { createModelStore, type InstalledModel } from './model-store.ts'

export interface ModelState {
  readonly model: Model
  readonly state: 'embedded' | 'installed' | 'absent'
  readonly inUse: boolean
  readonly recommended: boolean
}

export interface Models extends Chooser, Installer {
  /** Catalogue and manifests, in that order. `recommended` goes by cores and free memory. */
  list(): Promise<ModelState[]>
  find(id: string): Promise<Model | undefined>
  /** Throws Problem('not_found'). */
  get(id: string): Promise<Model>
  /** Embedded ones included. */
  installed(task?: ModelTask): Promise<InstalledModel[]>
  /** Path of the model's first file. Throws Problem when it is not installed, or embedded. */
  path(id: string): Promise<string>
  /** Makes it the default for its task. Throws Problem when it is not installed. */
  use(id: string): Promise<Model>
  /** Back to the best one for this machine. */
  clearUse(task: ModelTask): void
}

export interface ModelsOptions {
  readonly config: Pick<
    Config,
    | 'dataDir'
    | 'modelDirs'
    | 'speechModel'
    | 'embeddingModel'
    | 'rerankModel'
    | 'llmModel'
    | 'llmUrl'
    | 'modelHub'
    | 'offline'
  >
  readonly log: Log
  /** Other models than those that ship with Earshot; for tests. */
  readonly catalogue?: readonly Model[]
}

/** Touches nothing until it is asked something. Several processes may use one data folder at the same time. */
export function createModels({ config, log, catalogue = CATALOGUE }: ModelsOptions): Models {
  const store = createModelStore(join(config.dataDir, 'models'), config.modelDirs)
  const uses = createUses(join(store.folder, 'use.json'))

  async function all(): Promise<Model[]> {
    const known = new Map(catalogue.map((model) => [model.id, model]))
    for (const model of await store.listManifestModels()) {
      // A manifest cannot replace a model of the catalogue: its hash would not be the published one.
      if (!known.has(model.id)) known.set(model.id, model)
    }
    return [...known.values()]
  }

  const find = async (id: string): Promise<Model | undefined> =>
    (await all()).find((model) => model.id === id)

  async function get(id: string): Promise<Model> {
    const model = await find(id)
    if (model) return model
    throw new Problem('not_found', `There is no model "${id}". "earshot models list" shows all of them.`)
  }

  async function getInstalled(id: string): Promise<InstalledModel> {
    const model = await store.findInstalled(await get(id))
    if (model) return model
    throw new Problem('not_found', `${id} is not installed. Run "earshot models pull ${id}".`)
  }

  async function installed(task?: ModelTask): Promise<InstalledModel[]> {
    const models = (await all()).filter((model) => task === undefined || model.task === task)
    const found = await Promise.all(models.map((model) => store.findInstalled(model)))
    return found.filter((model) => model !== undefined)
  }

  const chooser = createChooser({ config, log, find, installed, uses })
  return {
    ...chooser,
    ...createInstaller({ config, store, all, get }),
    find,
    get,
    installed,
    async list() {
      const models = await all()
      const present = new Set((await installed()).map((model) => model.id))
      const recommended = recommend(models, thisMachine('free'))
      // A configured model that is missing must not hide the list that shows what there is.
      const tasks = [...new Set(models.map((model) => model.task))]
      const chosen = await Promise.all(tasks.map((task) => chooser.findChoice(task).catch(() => undefined)))
      const inUse = new Set(chosen.map((model) => model?.id))
      return models.map((model) => ({
        model,
        state: model.embedded ? 'embedded' : present.has(model.id) ? 'installed' : 'absent',
        inUse: inUse.has(model.id),
        recommended: recommended[model.task] === model.id,
      }))
    },
    async path(id) {
      const { path } = await getInstalled(id)
      if (path !== undefined) return path
      throw new Problem('not_found', `${id} is built in and has no file.`)
    },
    async use(id) {
      const model = await getInstalled(id)
      uses.set(model.task, id)
      return model
    },
    clearUse: (task) => uses.set(task, undefined),
  }
}
