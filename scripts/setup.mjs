// Makes this checkout ready to build, test and run: Bun, dependencies, system packages, native files.
// Plain Node ≥ 18 without dependencies: it runs when nothing else is there. When nothing has changed since the
// last time it costs a few milliseconds.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { CONVERTER_FOLDERS, convertModels } from './convert.mjs'
import { hasFastVectors, whisperVariant } from './cpu.mjs'
import { gatherNative } from './native.mjs'
import { buildWhisper } from './whisper.mjs'
import { installYtdlp } from './ytdlp.mjs'

export const ROOT = dirname(dirname(fileURLToPath(import.meta.url)))

/** Program → Debian package. python3 runs yt-dlp. */
const PROGRAMS = {
  ffmpeg: 'ffmpeg',
  ffprobe: 'ffmpeg',
  cmake: 'cmake',
  'g++': 'g++',
  make: 'make',
  strip: 'binutils',
  python3: 'python3',
}

/** What a person can act on: printed without a stack. */
export class SetupError extends Error {}

/** Path of the pinned Bun for this machine. */
export function bunPath() {
  return join(ROOT, '.cache/bun/node_modules', bunPackage(), 'bin/bun')
}

export function bunVersion() {
  return JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).engines.bun
}

function bunPackage() {
  const arch = process.arch === 'arm64' ? 'aarch64' : process.arch
  return `@oven/bun-${process.platform}-${arch}${hasFastVectors() ? '' : '-baseline'}`
}

/**
 * Installs an exact package from the npm registry into a folder of its own below .cache (npm would remove what
 * else is there), without running any of its scripts.
 */
export async function npmInstall(spec, folder) {
  const prefix = join(ROOT, '.cache', folder)
  mkdirSync(prefix, { recursive: true })
  const options = ['--ignore-scripts', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']
  await run('npm', ['install', '--prefix', prefix, ...options, spec])
}

async function installBun() {
  if (existsSync(bunPath()) && (await run(bunPath(), ['--version'])).trim() === bunVersion()) return
  await npmInstall(`${bunPackage()}@${bunVersion()}`, 'bun')
}

async function installDependencies() {
  await run(bunPath(), ['install', '--frozen-lockfile', '--no-progress'])
}

function missingPackages() {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const missing = Object.entries(PROGRAMS).filter(
    ([program]) => !folders.some((folder) => existsSync(join(folder, program))),
  )
  return [...new Set(missing.map(([, name]) => name))]
}

/** Says what to run when packages are missing that this script may not install. */
function requireSystemPackages() {
  const missing = missingPackages()
  if (missing.length === 0) return
  if (process.platform === 'darwin') {
    throw new SetupError('Missing programs. Run: xcode-select --install; brew install ffmpeg cmake python3')
  }
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) return
  const command = `apt-get update && apt-get install -y ${missing.join(' ')}`
  throw new SetupError(`Missing system packages. Run this as root, then start again:\n\n  ${command}\n`)
}

async function installSystemPackages() {
  const missing = missingPackages()
  if (missing.length === 0) return
  const install = ['install', '-y', '--no-install-recommends', ...missing]
  // A machine with current package lists is spared the update.
  await run('apt-get', install).catch(async () => {
    await run('apt-get', ['update'])
    await run('apt-get', install)
  })
}

/**
 * For the tests of keyword search, the console and the reference: whoever runs Earshot installs a browser when it is first needed. Where this script
 * may not install one, those tests are skipped and say so.
 */
export async function provideBrowser() {
  const folders = (process.env.PATH ?? '').split(delimiter)
  const names = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome']
  if (names.some((name) => folders.some((folder) => existsSync(join(folder, name))))) return
  if (process.platform !== 'linux' || process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    console.error(
      '  no Chromium: install it (on Debian: apt-get install chromium) to test keyword search and the console',
    )
    return
  }
  const install = ['install', '-y', '--no-install-recommends', 'chromium']
  await run('apt-get', install)
    .catch(() => run('apt-get', ['update']).then(() => run('apt-get', install)))
    .catch((error) =>
      console.error(`  no Chromium, keyword search and the console are not tested: ${error.message}`),
    )
}

async function provideYtdlp() {
  const { reason } = await installYtdlp(ROOT)
  // Earshot works without it, for URLs of media files.
  if (reason !== undefined) console.error(`  yt-dlp: ${reason}`)
}

function gather() {
  gatherNative(ROOT, {
    folder: join(ROOT, '.cache/native'),
    platform: process.platform,
    arch: process.arch,
    built: { 'whisper-worker': buildWhisper(ROOT, whisperVariant()), ...convertModels(ROOT, bunPath()) },
  })
}

/**
 * Runs a program to its end and resolves with its stdout. Throws with the end of its output when it fails.
 * @param {string} program
 * @param {string[]} args
 */
async function run(program, args) {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
  const child = spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let stdout = ''
  let all = ''
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
    all += text
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    all += text
  })
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject).once('close', resolve)
  })
  if (code !== 0) throw new SetupError(`${program} ${args.join(' ')} failed (${code}):\n${all.slice(-4_000)}`)
  return stdout
}

/**
 * @param {string} name
 * @param {() => unknown} work
 */
export async function step(name, work) {
  const startedAt = performance.now()
  const result = await work()
  console.log(`  ${name}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`)
  return result
}

/**
 * One hash over the names and contents of files (those that exist), in the order of their names.
 * @param {string[]} files
 */
export function hashOf(files) {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}-${hasFastVectors()}`)
  // oxlint-disable-next-line unicorn/no-array-sort -- Node 18 has no toSorted
  for (const file of [...files].sort()) {
    if (existsSync(join(ROOT, file))) hash.update(`\0${file}\0`).update(readFileSync(join(ROOT, file)))
  }
  return hash.digest('hex')
}

/**
 * @param {string} folder
 * @param {string} [ending]
 */
function filesIn(folder, ending = '') {
  const names = readdirSync(join(ROOT, folder)).filter((name) => name.endsWith(ending))
  return names.map((name) => `${folder}/${name}`)
}

/** Everything the results of the set-up depend on. */
function inputs() {
  return hashOf([
    'package.json',
    'bun.lock',
    ...filesIn('scripts', '.mjs'),
    ...filesIn('src/engines/whisper'),
    ...CONVERTER_FOLDERS.flatMap((folder) => filesIn(folder)),
  ])
}

/** Does nothing when this has been done for the same inputs and its results are still there. */
export async function setup() {
  const stamp = join(ROOT, '.cache/setup-stamp')
  const results = [stamp, bunPath(), join(ROOT, 'node_modules'), join(ROOT, '.cache/native')]
  // Whoever clears dist/ away loses the copy that belongs to the binary.
  if (existsSync(join(ROOT, '.cache/ytdlp'))) results.push(join(ROOT, 'dist/tools'))
  const done = results.every((path) => existsSync(path)) && missingPackages().length === 0
  if (done && readFileSync(stamp, 'utf8') === inputs()) return
  requireSystemPackages()
  console.log('Setting up:')
  await Promise.all([
    step(`Bun ${bunVersion()}`, installBun).then(() => step('dependencies', installDependencies)),
    step('system packages', installSystemPackages).then(() => step('yt-dlp', provideYtdlp)),
  ])
  await step('whisper worker, converted models and native files', gather)
  writeFileSync(stamp, inputs())
}

/**
 * Runs a script's main function: a SetupError is printed without its stack, anything else with it.
 * @param {() => Promise<void>} main
 */
export async function runMain(main) {
  try {
    await main()
  } catch (error) {
    console.error(error instanceof SetupError ? `\n${error.message}` : error)
    process.exitCode = 1
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runMain(setup)
