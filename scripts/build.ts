// Bundles src/main.ts and everything native into one executable. Called by scripts/prepare.mjs, which has gathered
// the native files: `build.ts --out FILE --native FOLDER [--bun FILE]`, where the last is the Bun to build upon.

import { readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import type { BunPlugin } from 'bun'
import { ensurePack } from '../src/console/bundle.ts'
import { llamaInBundle } from './llama-bundle.ts'
import { playwrightInBundle } from './playwright-bundle.ts'

const ROOT = join(import.meta.dir, '..')

const { values: options } = parseArgs({
  options: { out: { type: 'string' }, native: { type: 'string' }, bun: { type: 'string' } },
})
if (options.out === undefined || options.native === undefined) {
  throw new Error('usage: build.ts --out FILE --native FOLDER [--bun FILE]')
}
const out = resolve(options.out)
const native = resolve(options.native)

const consolePack = await ensurePack()

/** Whatever its name ends in, a native file (and the console's pack) is embedded as it is, never parsed. */
const asFiles: BunPlugin = {
  name: 'native-files',
  setup(build) {
    const escaped = (path: string): string => path.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    const filter = new RegExp(`^(?:${escaped(native)}/|${escaped(consolePack)}$)`)
    build.onLoad({ filter }, ({ path }) => ({ contents: readFileSync(path), loader: 'file' }))
  },
}

const nativeFiles = readdirSync(native, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile() && !entry.name.endsWith('.tmp'))
  .map((entry) => join(entry.parentPath, entry.name))
const temporary = `${out}.${process.pid}.tmp`
const result = await Bun.build({
  // Threads are entries of their own, found below `root` (src/search/searcher.ts).
  root: ROOT,
  entrypoints: [
    join(ROOT, 'src/main.ts'),
    join(ROOT, 'src/search/search-worker.ts'),
    consolePack,
    ...nativeFiles,
  ],
  target: 'bun',
  // Parsed at build time: a process starts in a fifth of the time.
  format: 'esm',
  bytecode: true,
  plugins: [asFiles, llamaInBundle, playwrightInBundle],
  // Embedded files are looked up by name (src/engines/native.ts).
  naming: { asset: '[name].[ext]' },
  // Names stay: Elysia reads the source of handlers, and stack traces are read by people.
  minify: { whitespace: true, syntax: true, identifiers: false },
  define: { 'process.env.NODE_ENV': '"production"' },
  compile: {
    outfile: temporary,
    // The folder it is started in belongs to the operator, not to Bun.
    autoloadDotenv: false,
    autoloadBunfig: false,
    ...(options.bun === undefined ? {} : { executablePath: options.bun }),
  },
})
if (!result.success) {
  rmSync(temporary, { force: true })
  for (const { message } of result.logs) console.error(message)
  throw new Error('the bundle could not be made')
}
// A running server keeps the file it was started from.
renameSync(temporary, out)
console.log(`  ${basename(out)}: ${(Bun.file(out).size / 1e6).toFixed(1)} MB`)
