// The native files that travel inside the binary: found by name, extracted once per content, verified before use.
// Run from source, the same names are looked up where the set-up put them (.cache/native).

import { embeddedFiles } from 'bun'
import { dlopen } from 'bun:ffi'
import {
  accessSync,
  chmodSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import type * as Ort from 'onnxruntime-node'

import { sha256 } from '../lib/id.ts'
import { Problem } from '../lib/problem.ts'
import { parseOrThrow, parser, t } from '../lib/schema.ts'

export type NativeName =
  | 'libonnxruntime.so.1'
  | 'moonshine-encoder.onnx'
  | 'moonshine-decoder.onnx'
  | 'silero-vad.onnx'
  | 'use-lite.onnx'
  | 'use-lite-tokenizer.json'
  | 'vec0.so'
  | 'whisper-worker'

/** `llama`: llama.cpp for each kind of CPU, as node-llama-cpp's platform package has it. */
export type NativeFolder = 'llama'

export interface Native {
  /**
   * Absolute path of the file, extracted on first use and its SHA-256 checked once per process. Synchronous:
   * about 60 ms for the largest (46 MB), so the large ones belong in child processes. Throws Problem with
   * advice when the folder can't be written or does not allow programs to run.
   */
  path(name: NativeName): string
  /**
   * Absolute path of a folder whose files belong together, such as libraries that load each other. As `path`, for all
   * of them: about 200 ms for llama.cpp.
   */
  folder(name: NativeFolder): string
}

export interface NativeOptions {
  /** Where a compiled binary extracts to: `<cacheDir>/<first 16 hex digits of the SHA-256>/<name>`. */
  readonly cacheDir: string
}

/** Name of the list of SHA-256 hashes that lies beside the files. */
export const NATIVE_MANIFEST = 'native-manifest.json'

const MANIFEST = parser(t.Record(t.String(), t.String({ pattern: '^[0-9a-f]{64}$' })))

/** Where one set of native files is read from. */
interface Source {
  readonly hashes: Readonly<Record<string, string>>
  /** Path to read the file from; inside a compiled binary it is not a path of the operating system. */
  read(name: string): string
  readonly embedded: boolean
}

export function createNative({ cacheDir }: NativeOptions): Native {
  const verified = new Map<NativeName, string>()
  let source: Source | undefined
  return {
    path(name) {
      const known = verified.get(name)
      if (known !== undefined) return known
      source ??= findSource()
      const path = locate(source, variantOf(name, source), cacheDir)
      verified.set(name, path)
      return path
    },
    folder(name) {
      source ??= findSource()
      return locateFolder(source, name, cacheDir)
    },
  }
}

function findSource(): Source {
  // The bundler gives a name without extension a trailing dot.
  const embedded = new Map(embeddedFiles.map((file) => [blobName(file).replace(/\.$/, ''), blobName(file)]))
  if (embedded.has(NATIVE_MANIFEST)) {
    // Files of a folder are embedded under their own names, which are unique.
    const read = (name: string): string => join(import.meta.dir, embedded.get(basename(name)) ?? name)
    return { hashes: readManifest(read(NATIVE_MANIFEST)), read, embedded: true }
  }
  const folder = join(import.meta.dir, '../../.cache/native')
  const read = (name: string): string => join(folder, name)
  if (!existsSync(read(NATIVE_MANIFEST))) {
    throw new Error(`There are no native files in ${folder}. Run "npm run setup" first.`)
  }
  return { hashes: readManifest(read(NATIVE_MANIFEST)), read, embedded: false }
}

function blobName(file: Blob): string {
  return 'name' in file && typeof file.name === 'string' ? file.name : ''
}

function readManifest(path: string): Record<string, string> {
  return parseOrThrow(MANIFEST, JSON.parse(readFileSync(path, 'utf8')), NATIVE_MANIFEST)
}

/** A release carries the whisper worker twice; the CPU decides. */
function variantOf(name: NativeName, source: Source): string {
  const baseline = `${name}-baseline`
  return baseline in source.hashes && !hasFastVectors() ? baseline : name
}

/** What whisper.cpp's x86-64 build needs beyond SSE4.2. True where the question does not arise. */
function hasFastVectors(): boolean {
  if (process.arch !== 'x64' || process.platform !== 'linux') return true
  const flags = /^flags\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1]?.split(' ') ?? []
  return ['avx2', 'fma', 'f16c', 'bmi2'].every((flag) => flags.includes(flag))
}

function locate(source: Source, name: string, cacheDir: string): string {
  const hash = source.hashes[name]
  if (hash === undefined) throw new Error(`This build of Earshot does not contain the native file ${name}`)
  const original = source.read(name)
  const path = source.embedded ? join(cacheDir, hash.slice(0, 16), name) : original
  provide(source, original, path, hash, cacheDir)
  requireExecutable(path, cacheDir)
  return path
}

/** The folder's name is a hash over all of its files: a library never meets one of another version. */
function locateFolder(source: Source, name: NativeFolder, cacheDir: string): string {
  const files = Object.entries(source.hashes).filter(([file]) => file.startsWith(`${name}/`))
  if (files.length === 0) throw new Error(`This build of Earshot does not contain the native files ${name}`)
  const hash = sha256(files.map(([file, ofFile]) => `${file} ${ofFile}`).join('\n'))
  const parent = source.embedded ? join(cacheDir, hash.slice(0, 16)) : source.read('.')
  for (const [file, ofFile] of files) {
    const path = join(parent, file)
    provide(source, source.read(file), path, ofFile, cacheDir)
    requireExecutable(path, cacheDir)
  }
  return join(parent, name)
}

function provide(source: Source, original: string, path: string, hash: string, cacheDir: string): void {
  if (hashOf(path) === hash) return
  if (source.embedded) extract(original, path, cacheDir)
  if (hashOf(path) !== hash) throw new Error(`The native file ${path} is damaged: delete it and start again`)
}

function hashOf(path: string): string | undefined {
  return existsSync(path) ? sha256(readFileSync(path)) : undefined
}

/** Another process may extract the same file at the same moment: each writes its own and renames it. */
function extract(original: string, path: string, cacheDir: string): void {
  const temporary = `${path}.${process.pid}.tmp`
  try {
    mkdirSync(join(path, '..'), { recursive: true, mode: 0o700 })
    writeFileSync(temporary, readFileSync(original))
    chmodSync(temporary, 0o755)
    renameSync(temporary, path)
  } catch (cause) {
    rmSync(temporary, { force: true })
    throw new Problem(
      'internal_server_error',
      `Earshot can't write its native files to ${cacheDir}: ${(cause as Error).message}. Point EARSHOT_DATA to a folder that it may write to.`,
      { cause },
    )
  }
}

/** Linux answers EACCES here for a noexec mount as well as for a missing x bit. Models need no such right. */
function requireExecutable(path: string, cacheDir: string): void {
  if (path.endsWith('.onnx')) return
  try {
    accessSync(path, constants.X_OK)
  } catch (cause) {
    throw new Problem(
      'internal_server_error',
      `Earshot can't run programs from ${cacheDir} (is it on a volume mounted with "noexec"?). Point EARSHOT_DATA to a folder on another volume.`,
      { cause },
    )
  }
}

/**
 * ONNX Runtime's JavaScript API. Its binding looks for libonnxruntime beside itself, where a compiled binary
 * has nothing; loading the library first satisfies it by name.
 */
export async function loadOnnxRuntime(native: Native): Promise<typeof Ort> {
  dlopen(native.path('libonnxruntime.so.1'), { OrtGetApiBase: { args: [], returns: 'ptr' } })
  return await import('onnxruntime-node')
}
