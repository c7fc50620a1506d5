// The console's source (ui/) → one pack: every file that the browser loads, minified, named by its hash and compressed.
// The build embeds the pack in the binary; run from source it is made on first use and kept by its inputs' hash.

import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { newId, sha256 } from '../lib/id.ts'
import { type Parsed, parser, t } from '../lib/schema.ts'

const ROOT = join(import.meta.dir, '../..')
const UI = join(import.meta.dir, 'ui')
const CACHE = join(ROOT, '.cache/console')

/** Name of the pack among the binary's embedded files. */
export const PACK_NAME = 'console-pack.json'

const PackSchema = t.Object({
  /** Path such as `index.html` or `index-1a2b3c4d.js` → its content, compressed both ways, in base 64. */
  files: t.Record(t.String(), t.Object({ type: t.String(), brotli: t.String(), gzip: t.String() })),
})
export const packParser = parser(PackSchema)
export type Pack = Parsed<typeof packParser>

const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  svg: 'image/svg+xml',
}

/** Bundles and compresses: about a second. Throws with the bundler's messages. */
export async function bundleConsole(): Promise<Pack> {
  const result = await Bun.build({
    entrypoints: [join(UI, 'index.html')],
    target: 'browser',
    minify: true,
    publicPath: '/assets/',
    naming: { entry: '[name].[ext]', chunk: '[name]-[hash].[ext]', asset: '[name]-[hash].[ext]' },
    define: { 'process.env.NODE_ENV': '"production"' },
  })
  const files: Pack['files'] = {}
  for (const output of result.outputs) {
    const name = output.path.replace(/^\.?\//, '')
    const type = TYPES[name.slice(name.lastIndexOf('.') + 1)]
    if (type === undefined) throw new Error(`the console has a file of an unknown type: ${name}`)
    files[name] = { type, ...compressed(new Uint8Array(await output.arrayBuffer())) }
  }
  return { files }
}

function compressed(content: Uint8Array): { brotli: string; gzip: string } {
  const params = { [constants.BROTLI_PARAM_SIZE_HINT]: content.byteLength }
  return {
    brotli: brotliCompressSync(content, { params }).toString('base64'),
    gzip: gzipSync(content, { level: 9 }).toString('base64'),
  }
}

/**
 * Path of a file that holds the pack of the sources as they are, made if it is not there yet. Only where the sources are:
 * a compiled binary carries its pack.
 */
export async function ensurePack(): Promise<string> {
  const path = join(CACHE, inputsHash(), PACK_NAME)
  if (existsSync(path)) return path
  const text = JSON.stringify(await bundleConsole())
  mkdirSync(dirname(path), { recursive: true })
  const temporary = `${path}.${newId()}.tmp`
  writeFileSync(temporary, text)
  // Several test processes may make it at once.
  renameSync(temporary, path)
  return path
}

/** Everything the pack depends on: what is bundled, what bundles it, and the versions of packages. */
function inputsHash(): string {
  const sources = readdirSync(UI, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
  const files = [...sources, import.meta.path, join(ROOT, 'bun.lock'), join(ROOT, 'tsconfig.json')]
  const parts = files.map((file) => `${file.slice(ROOT.length)}\0${sha256(readFileSync(file))}`)
  return sha256(parts.join('\n')).slice(0, 16)
}
