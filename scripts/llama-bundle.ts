// What node-llama-cpp needs to work inside one executable: it looks for files beside itself, where there are none.
// Each of its modules that does so is replaced; a module that is no longer there fails the build.

import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BunPlugin } from 'bun'
import { LLAMA_ENV } from '../src/engines/llm/llama-wire.ts'

const PACKAGE = join(import.meta.dir, '../node_modules/node-llama-cpp')
const STUB = 'llama-stub'
/** What it downloads and builds with. Earshot does neither through it. */
const UNUSED = ['electron', 'simple-git', 'ipull', 'cmake-js']

function versions(): { library: string; release: string } {
  const read = (path: string): unknown => JSON.parse(readFileSync(join(PACKAGE, path), 'utf8'))
  const text = (value: unknown, name: string): string => {
    const found = (value as Readonly<Record<string, unknown>>)[name]
    if (typeof found !== 'string') throw new Error(`node-llama-cpp says nothing of its ${name}`)
    return found
  }
  return {
    library: text(read('package.json'), 'version'),
    release: text(read('llama/binariesGithubRelease.json'), 'release'),
  }
}

/** Module of the library → what takes its place. */
function replacements({ library, release }: ReturnType<typeof versions>): Readonly<Record<string, string>> {
  const releaseText = JSON.stringify(release)
  return {
    'utils/getModuleVersion.js': `export const getModuleVersion = async () => ${JSON.stringify(library)}`,
    'bindings/utils/binariesGithubRelease.js':
      `export const builtinLlamaCppRelease = ${releaseText}, defaultLlamaCppRelease = ${releaseText}\n` +
      `export const getBinariesGithubRelease = async () => ${releaseText}\n` +
      'export const setBinariesGithubRelease = async () => undefined',
    // It would start this executable as if it were Node. Our engine process is the trial: a crash ends only that.
    'bindings/utils/testBindingBinary.js': 'export const testBindingBinary = async () => true',
  }
}

export const llamaInBundle: BunPlugin = {
  name: 'node-llama-cpp',
  setup(build) {
    const found = versions()
    const modules = replacements(found)
    for (const path of Object.keys(modules)) {
      if (!existsSync(join(PACKAGE, 'dist', path))) throw new Error(`node-llama-cpp has no ${path} any more`)
    }
    build.onLoad({ filter: /node-llama-cpp[\\/]dist[\\/](?:utils|bindings)[\\/].*\.js$/ }, ({ path }) => {
      const name = path.slice(path.lastIndexOf('dist') + 'dist/'.length).replaceAll('\\', '/')
      return { contents: modules[name] ?? readFileSync(path, 'utf8'), loader: 'js' }
    })
    // Its platform packages hold the libraries, which are embedded and extracted by src/engines/native.ts.
    build.onResolve({ filter: /^@node-llama-cpp\// }, ({ path }) => ({ path, namespace: STUB }))
    build.onResolve({ filter: new RegExp(`^(?:${UNUSED.join('|')})$`) }, ({ path, importer }) =>
      importer.includes('/node-llama-cpp/') ? { path, namespace: STUB } : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: STUB }, ({ path }) => {
      if (UNUSED.includes(path)) return { contents: 'module.exports = {}', loader: 'js' }
      const answer = `{ binsDir: process.env.${LLAMA_ENV.libraries}, packageVersion: ${JSON.stringify(found.library)} }`
      return { contents: `export const getBinsDir = () => (${answer})`, loader: 'js' }
    })
  },
}
