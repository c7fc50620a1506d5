// Builds the whisper worker (and, for tests, whisper-cli) from the whisper.cpp source in node_modules.
// `whisper.mjs TARGET [plain]` prints the program's path, for this machine's CPU or as whisper.cpp's authors build it.
// Results are cached in .cache/whisper by a hash of everything that goes in: the second call costs a few ms.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { whisperVariant } from './cpu.mjs'

const SOURCE = 'node_modules/nodejs-whisper/cpp/whisper.cpp'
const WORKER = 'src/engines/whisper/worker.cpp'

/**
 * Path of the program built for one variant: `avx2` or `baseline` on x86-64, `generic` elsewhere, `plain` as its authors
 * build it here. `target` is `whisper-worker` or `whisper-cli`. Throws when cmake or the compiler fails, with the end of their output.
 * @param {string} root
 * @param {'avx2' | 'baseline' | 'generic' | 'plain'} variant
 * @param {'whisper-worker' | 'whisper-cli'} [target]
 */
export function buildWhisper(root, variant, target = 'whisper-worker') {
  // The package's version stands for the whisper.cpp source: its bytes are pinned by the hash in bun.lock.
  const libraryFiles = ['src/engines/whisper/CMakeLists.txt', 'node_modules/nodejs-whisper/package.json']
  const library = hashOf(root, libraryFiles)
  const content = target === 'whisper-cli' ? library : hashOf(root, [...libraryFiles, WORKER])
  const folder = join(root, '.cache/whisper', `${content}-${variant}`)
  const program = join(folder, target)
  if (existsSync(program)) return program
  // The libraries' objects stay: a change of the worker costs seconds, and whisper-cli links the same ones.
  const build = join(root, '.cache/whisper', `build-${library}-${variant}`)
  mkdirSync(build, { recursive: true })
  mkdirSync(folder, { recursive: true })
  run('cmake', [
    '-S',
    join(root, 'src/engines/whisper'),
    '-B',
    build,
    '-DCMAKE_BUILD_TYPE=Release',
    `-DWHISPER_SOURCE=${join(root, SOURCE)}`,
    `-DEARSHOT_VECTORS=${variant}`,
  ])
  run('cmake', ['--build', build, '--target', target, '-j', String(availableParallelism())])
  const built = [join(build, target), join(build, 'bin', target), join(build, 'whisper/bin', target)].find(
    (path) => existsSync(path),
  )
  if (built === undefined) throw new Error(`cmake built no ${target} in ${build}`)
  copyFileSync(built, `${program}.tmp`)
  run('strip', [`${program}.tmp`])
  renameSync(`${program}.tmp`, program)
  return program
}

/**
 * @param {string} root
 * @param {string[]} files
 */
function hashOf(root, files) {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}`)
  for (const file of files) hash.update(readFileSync(join(root, file)))
  return hash.digest('hex').slice(0, 16)
}

/**
 * @param {string} program
 * @param {string[]} args
 */
function run(program, args) {
  const result = spawnSync(program, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
  if (result.status === 0) return
  const output = `${result.error?.message ?? ''}${result.stdout ?? ''}${result.stderr ?? ''}`
  throw new Error(`${program} ${args.join(' ')} failed:\n${output.slice(-4_000)}`)
}

const script = fileURLToPath(import.meta.url)
const [, called, wanted, variant] = process.argv
if (called === script && (wanted === 'whisper-cli' || wanted === 'whisper-worker')) {
  console.log(
    buildWhisper(dirname(dirname(script)), variant === 'plain' ? variant : whisperVariant(), wanted),
  )
}
