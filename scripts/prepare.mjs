// `npm run build` and the first half of `npm start`: the set-up, then dist/earshot unless it is up to date.
// `npm run release` makes the binaries for other machines.
// "Up to date" is decided by content, so that a fresh checkout with an old clock is judged right.

import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { convertModels } from './convert.mjs'
import { gatherNative } from './native.mjs'
import { bunPath, bunVersion, hashOf, npmInstall, ROOT, runMain, SetupError, setup, step } from './setup.mjs'
import { buildWhisper } from './whisper.mjs'

const STAMP = join(ROOT, '.cache/build-stamp')

/** Everything that goes into the binary. The native files count by the list of their hashes. */
function inputs() {
  const folders = ['src', 'scripts', 'models'].flatMap(filesBelow)
  const files = ['package.json', 'bun.lock', 'THIRD_PARTY_LICENCES.md', '.cache/native/native-manifest.json']
  return hashOf([...files, ...folders])
}

/**
 * @param {string} folder
 * @returns {string[]}
 */
function filesBelow(folder) {
  if (!existsSync(join(ROOT, folder))) return []
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`
    return entry.isDirectory() ? filesBelow(path) : [path]
  })
}

/**
 * @param {string} out
 * @param {string} native
 * @param {string} [bun]
 */
function bundle(out, native, bun) {
  const options = ['--out', join(ROOT, out), '--native', native, ...(bun === undefined ? [] : ['--bun', bun])]
  const command = [join(ROOT, 'scripts/build.ts'), ...options]
  const result = spawnSync(bunPath(), command, { cwd: ROOT, stdio: 'inherit' })
  if (result.status !== 0) throw new SetupError('The build failed.')
}

export async function prepare() {
  await setup()
  const wanted = inputs()
  const upToDate = existsSync(join(ROOT, 'dist/earshot')) && existsSync(STAMP)
  if (upToDate && readFileSync(STAMP, 'utf8') === wanted) return
  await step('build dist/earshot', () => bundle('dist/earshot', join(ROOT, '.cache/native')))
  writeFileSync(STAMP, wanted)
}

/**
 * What is handed to others. On Linux x86-64: one for CPUs with AVX2, one for all others, each with both whisper
 * workers (a virtual machine may lack FMA or F16C although it has AVX2). Elsewhere: this machine's own, because its
 * native parts are built or come as packages for the machine that builds.
 */
async function release() {
  await setup()
  const { platform, arch } = process
  const name = `dist/earshot-${platform}-${arch}`
  if (platform !== 'linux' || arch !== 'x64') {
    await step(name, () => bundle(name, join(ROOT, '.cache/native')))
    return
  }
  const native = join(ROOT, '.cache/native-release')
  await step('whisper workers', () => {
    const built = {
      'whisper-worker': buildWhisper(ROOT, 'avx2'),
      'whisper-worker-baseline': buildWhisper(ROOT, 'baseline'),
      ...convertModels(ROOT, bunPath()),
    }
    gatherNative(ROOT, { folder: native, platform, arch, built })
  })
  for (const variant of ['', '-baseline']) {
    const bunPackage = `@oven/bun-linux-x64${variant}`
    const bun = join(ROOT, `.cache/bun-release${variant}/node_modules`, bunPackage, 'bin/bun')
    const fetchBun = () => npmInstall(`${bunPackage}@${bunVersion()}`, `bun-release${variant}`)
    await step(bunPackage, () => existsSync(bun) || fetchBun())
    await step(name + variant, () => bundle(name + variant, native, bun))
  }
}

if (process.argv[1] === join(ROOT, 'scripts/prepare.mjs')) {
  await runMain(process.argv[2] === 'release' ? release : prepare)
}
