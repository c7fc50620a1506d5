// Where model files are: one folder that Earshot writes to and any number it only reads. A file counts only when its
// SHA-256 is the expected one; nothing else in these folders is ever trusted.

import { readdir, rm, stat } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { readJsonFile, writeJsonFile } from '../lib/json-file.ts'
import { parser, t } from '../lib/schema.ts'
import {
  type Manifest,
  ManifestSchema,
  type Model,
  type ModelFile,
  manifestModel,
} from './model-catalogue.ts'
import { createHashMemory, type HashMemory } from './model-hash.ts'

const MANIFEST_BYTES_MAX = 65_536

/** A model that can be used now: every file is there with the right hash, or it is part of the binary. */
export interface InstalledModel extends Model {
  /** The first (for most the only) file; undefined for embedded models. */
  readonly path: string | undefined
  /** Holds all files under their catalogue names; undefined for embedded models. */
  readonly folder: string | undefined
}

export interface ModelStore {
  /** The folder that is written to. */
  readonly folder: string
  readonly hashes: HashMemory
  /** Where the file belongs in the writable folder. */
  targetOf(model: Model, file: ModelFile): string
  /** The published hash, else the pinned one, else undefined. */
  expectedHash(model: Model, file: ModelFile): string | undefined
  /** Records the hash of a file that has no published one. */
  pin(model: Model, file: ModelFile, sha256: string): void
  /** Places where a file of that name exists, right or wrong, best first. */
  listCopies(model: Model, file: ModelFile): Promise<string[]>
  /** A copy with the expected hash. */
  findFile(model: Model, file: ModelFile): Promise<string | undefined>
  /** undefined when a file is missing or wrong. */
  findInstalled(model: Model): Promise<InstalledModel | undefined>
  /** Models that manifests in the folders describe. */
  listManifestModels(): Promise<Model[]>
  /** Deletes the model's files from the writable folder; returns the deleted paths. */
  remove(model: Model): Promise<string[]>
}

const Pins = parser(t.Record(t.String(), t.String()))
const ManifestParser = parser(ManifestSchema)

/** `folder` need not exist; it is created by the first write. */
export function createModelStore(folder: string, readOnlyFolders: readonly string[]): ModelStore {
  const hashes = createHashMemory(join(folder, 'verified.json'))
  const pinsPath = join(folder, 'pins.json')
  const folders = [folder, ...readOnlyFolders]

  function expectedHash(model: Model, file: ModelFile): string | undefined {
    return file.sha256 ?? readJsonFile(pinsPath, Pins, {})[`${model.id}/${file.name}`]
  }

  async function listCopies(model: Model, file: ModelFile): Promise<string[]> {
    const places = candidates(model, file, folders)
    const present = await Promise.all(places.map(fileSize))
    return places.filter((_, index) => present[index] !== undefined)
  }

  async function findFile(model: Model, file: ModelFile): Promise<string | undefined> {
    const expected = expectedHash(model, file)
    if (expected === undefined) return undefined
    for (const path of await listCopies(model, file)) {
      if (file.sizeBytes !== null && (await fileSize(path)) !== file.sizeBytes) continue
      // A copy that vanishes or cannot be read is no copy.
      if ((await hashes.hashOf(path).catch(() => undefined)) === expected) return path
    }
    return undefined
  }

  return {
    folder,
    hashes,
    targetOf: (model, file) => join(folder, model.id, file.name),
    expectedHash,
    pin(model, file, sha256) {
      writeJsonFile(pinsPath, { ...readJsonFile(pinsPath, Pins, {}), [`${model.id}/${file.name}`]: sha256 })
    },
    listCopies,
    findFile,
    async findInstalled(model) {
      if (model.embedded) return { ...model, path: undefined, folder: undefined }
      const paths: string[] = []
      for (const file of model.files) {
        const path = await findFile(model, file)
        if (path === undefined) return undefined
        paths.push(path)
      }
      return { ...model, path: paths[0], folder: folderOf(model, paths[0]) }
    },
    listManifestModels: async () => (await Promise.all(folders.map(manifestsIn))).flat(),
    async remove(model) {
      const copies = (await Promise.all(model.files.map((file) => listCopies(model, file)))).flat()
      const own = model.manifestFolder === undefined ? await filesBelow(join(folder, model.id)) : []
      // Also what an interrupted download left behind.
      const ours = [...new Set([...copies.filter((path) => path.startsWith(`${folder}/`)), ...own])]
      for (const path of ours) await rm(path, { force: true })
      if (own.length > 0) await rm(join(folder, model.id), { recursive: true, force: true })
      return ours
    },
  }
}

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(() => [])
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
}

/** `<folder>/<id>/<name>`, and for models of one file also `<folder>/<name>` as operators lay them out by hand. */
function candidates(model: Model, file: ModelFile, folders: readonly string[]): string[] {
  if (model.manifestFolder !== undefined) return [join(model.manifestFolder, file.name)]
  const flat = model.files.length === 1 ? folders.map((folder) => join(folder, basename(file.name))) : []
  return [...folders.map((folder) => join(folder, model.id, file.name)), ...flat]
}

async function fileSize(path: string): Promise<number | undefined> {
  try {
    const info = await stat(path)
    return info.isFile() ? info.size : undefined
  } catch {
    return undefined
  }
}

/** Manifests in the folder itself and in its direct subfolders. */
async function manifestsIn(folder: string): Promise<Model[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const subfolders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name))
  const found = await Promise.all([folder, ...subfolders].map(manifestsDirectlyIn))
  return found.flat()
}

async function manifestsDirectlyIn(folder: string): Promise<Model[]> {
  const names: string[] = await readdir(folder).catch(() => [])
  const models: Model[] = []
  for (const name of names.filter((entry) => entry.endsWith('.json'))) {
    const besideFile = names.includes(name.slice(0, -'.json'.length))
      ? name.slice(0, -'.json'.length)
      : undefined
    if (name !== 'model.json' && besideFile === undefined) continue
    const manifest = await readManifest(join(folder, name))
    const model = manifest ? manifestModel(manifest, folder, besideFile) : undefined
    if (model) models.push(model)
  }
  return models
}

async function readManifest(path: string): Promise<Manifest | undefined> {
  const size = await fileSize(path)
  if (size === undefined || size > MANIFEST_BYTES_MAX) return undefined
  const parsed = ManifestParser.parse(
    await Bun.file(path)
      .json()
      .catch(() => undefined),
  )
  return parsed.ok ? parsed.value : undefined
}

/** Up from the first file by as many steps as its name has. */
function folderOf(model: Model, firstPath: string | undefined): string | undefined {
  const name = model.files[0]?.name
  if (name === undefined || firstPath === undefined) return undefined
  return name.split('/').reduce((path) => dirname(path), firstPath)
}
