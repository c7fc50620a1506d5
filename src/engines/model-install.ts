// Changing what is installed: pull, import, verify, remove. One process at a time per model.

import { join } from 'node:path'
import type { Config } from '../config.ts'
import { tryFileLock } from '../lib/file-lock.ts'
import { Problem } from '../lib/problem.ts'
import type { Model, ModelFile } from './model-catalogue.ts'
import { type ImportResult, importModels } from './model-import.ts'
import { type HubFetch, type PullOptions, pullFile } from './model-pull.ts'
import type { ModelStore } from './model-store.ts'

export interface ModelPullProgress {
  readonly fileName: string
  readonly receivedBytes: number
  readonly totalBytes: number | undefined
}

export interface ModelPullOptions
  extends Pick<PullOptions, 'signal' | 'onRetry' | 'retryWaitsMs' | 'stallMs'> {
  readonly fetch: HubFetch
  readonly onProgress?: (progress: ModelPullProgress) => void
}

export interface PulledFile {
  readonly fileName: string
  readonly path: string
  readonly sha256: string
  /** False: it was there already. */
  readonly fetched: boolean
  /** True: no hash is published for it; what came is now the pinned one. */
  readonly pinned: boolean
}

export interface ModelImportOptions {
  readonly signal?: AbortSignal
  readonly onFile?: (path: string) => void
}

export interface VerifiedFile {
  readonly modelId: string
  readonly path: string
  readonly ok: boolean
  /** undefined: neither published nor pinned, so that nothing can be said. */
  readonly expected: string | undefined
  readonly got: string
}

export interface Installer {
  /** Fetches what is missing. Throws Problem when offline, refused, broken off or wrong; see `pullFile`. */
  pull(id: string, options: ModelPullOptions): Promise<PulledFile[]>
  /** Takes from a file or folder what the catalogue knows by hash; see `importModels`. */
  importFrom(source: string, options?: ModelImportOptions): Promise<ImportResult>
  /** Hashes every copy again, without trusting what was remembered. All models when no id is given. */
  verify(id?: string, signal?: AbortSignal): Promise<VerifiedFile[]>
  /** Returns the deleted paths. Throws Problem when there is nothing that may be deleted. */
  remove(id: string): Promise<string[]>
}

export interface InstallerParts {
  readonly config: Pick<Config, 'modelHub' | 'offline'>
  readonly store: ModelStore
  readonly all: () => Promise<Model[]>
  readonly get: (id: string) => Promise<Model>
}

export function createInstaller({ config, store, all, get }: InstallerParts): Installer {
  return {
    async pull(id, options) {
      const model = await get(id)
      refuseUnlessOnHub(model, config)
      return await exclusively(store, model, async () => {
        const files: PulledFile[] = []
        for (const file of model.files) files.push(await pullOne(model, file, { config, store }, options))
        return files
      })
    },
    importFrom: async (source, options = {}) =>
      await importModels(source, { models: await all(), store, ...options }),
    async verify(id, signal) {
      const models = id === undefined ? await all() : [await get(id)]
      const results = (await Promise.all(models.map((model) => verifyModel(model, store, signal)))).flat()
      if (id === undefined || results.length > 0 || models[0]?.embedded === true) return results
      throw new Problem('not_found', `${id} is not installed: no file of it is in any model folder.`)
    },
    async remove(id) {
      const model = await get(id)
      if (model.embedded) throw new Problem('invalid_parameter', `${id} is built in and cannot be removed.`)
      const deleted = await exclusively(store, model, async () => await store.remove(model))
      const left = (await Promise.all(model.files.map((file) => store.listCopies(model, file)))).flat()
      if (left.length > 0) {
        throw new Problem(
          'invalid_parameter',
          `${id} is still in a folder that Earshot only reads: ${left.join(', ')}. Delete it there yourself.`,
        )
      }
      if (deleted.length === 0) throw new Problem('not_found', `${id} is not installed.`)
      return deleted
    },
  }
}

function refuseUnlessOnHub(model: Model, config: InstallerParts['config']): void {
  if (model.embedded)
    throw new Problem('invalid_parameter', `${model.id} is built in; there is nothing to pull.`)
  if (model.files.some((file) => file.path === null)) {
    throw new Problem('invalid_parameter', `${model.id} is described by a manifest and is on no hub.`)
  }
  if (config.offline) {
    throw new Problem(
      'invalid_parameter',
      `EARSHOT_OFFLINE is set, so nothing is downloaded. Carry the files in and run "earshot models import".`,
    )
  }
}

async function exclusively<T>(store: ModelStore, model: Model, work: () => Promise<T>): Promise<T> {
  const lock = tryFileLock(join(store.folder, '.locks', model.id))
  if (!lock) {
    throw new Problem(
      'invalid_parameter',
      `Another process is installing or removing ${model.id} right now. Wait for it, then look at "earshot models list".`,
      { temporary: true },
    )
  }
  try {
    return await work()
  } finally {
    lock.release()
  }
}

async function pullOne(
  model: Model,
  file: ModelFile,
  { config, store }: Pick<InstallerParts, 'config' | 'store'>,
  { onProgress, ...options }: ModelPullOptions,
): Promise<PulledFile> {
  const known = store.expectedHash(model, file)
  const present = await store.findFile(model, file)
  if (present !== undefined && known !== undefined) {
    return { fileName: file.name, path: present, sha256: known, fetched: false, pinned: false }
  }
  const path = store.targetOf(model, file)
  const url = `${config.modelHub}/${file.path}`
  const sha256 = await pullFile({ url, sizeBytes: file.sizeBytes, sha256: known }, path, {
    ...options,
    onProgress: (progress) => onProgress?.({ fileName: file.name, ...progress }),
  })
  if (known === undefined) store.pin(model, file, sha256)
  await store.hashes.remember(path, sha256)
  return { fileName: file.name, path, sha256, fetched: true, pinned: known === undefined }
}

async function verifyModel(
  model: Model,
  store: ModelStore,
  signal: AbortSignal | undefined,
): Promise<VerifiedFile[]> {
  const results: VerifiedFile[] = []
  for (const file of model.files) {
    const expected = store.expectedHash(model, file)
    for (const path of await store.listCopies(model, file)) {
      const got = await store.hashes.hashOf(path, { fresh: true, ...(signal ? { signal } : {}) })
      results.push({ modelId: model.id, path, ok: got === expected, expected, got })
    }
  }
  return results
}
