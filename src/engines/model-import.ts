// Installing models that an operator carried in by hand: a file is known by its hash, whatever it is called.

import { open, readdir, rename, rm, stat } from 'node:fs/promises'
import { mkdir } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Problem } from '../lib/problem.ts'
import type { Model, ModelFile } from './model-catalogue.ts'
import { hashFile } from './model-hash.ts'
import { checkSpace } from './model-pull.ts'
import type { ModelStore } from './model-store.ts'

const DEPTH_MAX = 4
const FILES_MAX = 10_000
const CHUNK_BYTES = 1_048_576

export interface ImportedFile {
  readonly source: string
  readonly modelId: string
  readonly fileName: string
  /** True when the store had the file already. */
  readonly present: boolean
  /** True when no hash is published for the file: what was seen is now the pinned one. */
  readonly pinned: boolean
}

export interface ImportResult {
  readonly imported: readonly ImportedFile[]
  /** Files that match nothing in the catalogue; they were left alone. */
  readonly unknown: readonly string[]
}

export interface ImportOptions {
  readonly models: readonly Model[]
  readonly store: ModelStore
  readonly signal?: AbortSignal | undefined
  readonly onFile?: ((path: string) => void) | undefined
}

/** Throws a Problem when `source` does not exist or holds nothing that the catalogue knows. */
export async function importModels(source: string, options: ImportOptions): Promise<ImportResult> {
  const paths = await listFiles(resolve(source))
  const imported: ImportedFile[] = []
  const unknown: string[] = []
  for (const path of paths) {
    options.onFile?.(path)
    const match = findByHash(options.models, await hashFile(path, options.signal))
    if (match === undefined) unknown.push(path)
    else imported.push(await install(path, match.model, match.file, options))
  }
  for (const anchor of imported.filter((file) => !file.pinned)) {
    imported.push(...(await importCompanions(anchor, unknown, options)))
  }
  if (imported.length === 0) throw nothingKnown(source, paths.length, options.models)
  const taken = new Set(imported.map((file) => file.source))
  return { imported, unknown: unknown.filter((path) => !taken.has(path)) }
}

function findByHash(models: readonly Model[], sha256: string): { model: Model; file: ModelFile } | undefined {
  for (const model of models) {
    const file = model.files.find((entry) => entry.sha256 === sha256)
    if (file) return { model, file }
  }
  return undefined
}

/** Files without a published hash are taken by name, and only beside one of the same model that has one. */
async function importCompanions(
  anchor: ImportedFile,
  unknown: readonly string[],
  options: ImportOptions,
): Promise<ImportedFile[]> {
  const model = options.models.find((entry) => entry.id === anchor.modelId)
  const root = anchor.source.endsWith(`/${anchor.fileName}`)
    ? anchor.source.slice(0, -anchor.fileName.length)
    : dirname(anchor.source)
  const companions: ImportedFile[] = []
  for (const file of model?.files.filter((entry) => entry.sha256 === null) ?? []) {
    const path = join(root, file.name)
    if (!model || !unknown.includes(path) || (await options.store.findFile(model, file)) !== undefined)
      continue
    companions.push(await install(path, model, file, options))
  }
  return companions
}

/** Copies, hashing what is written: the file in place is the one that was checked. */
async function install(
  source: string,
  model: Model,
  file: ModelFile,
  { store, signal }: ImportOptions,
): Promise<ImportedFile> {
  const pinned = file.sha256 === null
  const report = { source, modelId: model.id, fileName: file.name, pinned }
  if ((await store.findFile(model, file)) !== undefined) return { ...report, present: true }
  const target = store.targetOf(model, file)
  const temporary = `${target}.${process.pid}.import`
  await mkdir(dirname(target), { recursive: true })
  await checkSpace(target, (await stat(source)).size)
  try {
    const sha256 = await copyHashed(source, temporary, signal)
    if (!pinned && sha256 !== file.sha256) {
      throw new Problem('invalid_parameter', `${source} changed while it was copied. Run the import again.`)
    }
    if (pinned) store.pin(model, file, sha256)
    await rename(temporary, target)
    await store.hashes.remember(target, sha256)
  } finally {
    await rm(temporary, { force: true })
  }
  return { ...report, present: false }
}

async function copyHashed(source: string, target: string, signal: AbortSignal | undefined): Promise<string> {
  const hasher = new Bun.CryptoHasher('sha256')
  const input = await open(source, 'r')
  const output = await open(target, 'w')
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES)
    for (;;) {
      signal?.throwIfAborted()
      const { bytesRead } = await input.read(buffer, 0, CHUNK_BYTES, null)
      if (bytesRead === 0) break
      hasher.update(buffer.subarray(0, bytesRead))
      await output.writeFile(buffer.subarray(0, bytesRead))
    }
    await output.sync()
    return hasher.digest('hex')
  } finally {
    await input.close()
    await output.close()
  }
}

async function listFiles(source: string): Promise<string[]> {
  const info = await stat(source).catch(() => undefined)
  if (info === undefined) throw new Problem('invalid_parameter', `There is no file or folder ${source}.`)
  if (info.isFile()) return [source]
  const files: string[] = []
  const visit = async (folder: string, depth: number): Promise<void> => {
    const entries = await readdir(folder, { withFileTypes: true })
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      const path = join(folder, entry.name)
      if (entry.isDirectory() && depth < DEPTH_MAX) await visit(path, depth + 1)
      if (entry.isFile()) files.push(path)
      if (files.length > FILES_MAX) {
        throw new Problem(
          'invalid_parameter',
          `${source} holds more than ${FILES_MAX} files. Name the folder with the models.`,
        )
      }
    }
  }
  await visit(source, 0)
  return files
}

function nothingKnown(source: string, count: number, models: readonly Model[]): Problem {
  const accepted = models.flatMap((model) =>
    model.files.filter((file) => file.sha256 !== null).map((file) => `  ${file.name}  (${model.id})`),
  )
  return new Problem(
    'invalid_parameter',
    `Nothing was imported: ${count === 1 ? `${source} is not a file` : `none of the ${count} files in ${source} is one`} ` +
      `that the catalogue knows by its SHA-256. These are accepted, under any name:\n${accepted.join('\n')}`,
  )
}
