// The architecture's rules as functions from source files to the list of what breaks them.

import { type SourceFile, targetOf } from './source-tree.ts'

/** From "knows nothing" to "knows everything". A new feature is a new word here. */
export const LADDER = (
  'lib config db net engines app http accounts billing jobs webhooks media transcripts analysis files events fileanalysis ' +
  'search shortvideo statement openai mcp doctor console server worker cli main'
).split(' ')

export const FILE_LINES_MAX = 400
export const FUNCTION_LINES_MAX = 70
/** A factory together with the named functions that share its state. */
export const FACTORY_LINES_MAX = 200

/** `src/db/migrate.ts` → `db`, `src/app.ts` → `app`. */
function rungOf(path: string): string {
  return (path.split('/')[1] ?? '').replace(/\.ts$/, '')
}

/** Imports only from the own folder or from rungs to the left; data files outside `src` are fine, code is not. */
export function ladderFaults(files: readonly SourceFile[]): string[] {
  const faults: string[] = []
  for (const file of files) {
    const own = LADDER.indexOf(rungOf(file.path))
    if (own < 0) {
      faults.push(`${file.path} is on no rung of the ladder`)
      continue
    }
    for (const specifier of file.imports) {
      const target = targetOf(file, specifier)
      if (target === undefined) continue
      if (!target.startsWith('src/')) {
        if (/\.[cm]?[jt]sx?$/.test(target))
          faults.push(`${file.path} imports ${target}, which is outside src`)
        continue
      }
      const other = LADDER.indexOf(rungOf(target))
      const outside = other === own && rungOf(target) !== rungOf(file.path)
      if (other > own || outside) faults.push(`${file.path} imports ${target}, which is further right`)
    }
  }
  return faults
}

/** What the console's code in the browser may run besides itself. */
const FOR_BROWSERS = new Set(['preact', 'preact/hooks', '@preact/signals', 'tus-js-client'])
const BROWSER_FOLDER = 'src/console/ui/'

/** The console's folder `ui` takes nothing but types from the rest of the product, and the rest takes nothing from it. */
export function browserFaults(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => {
    if (!file.path.startsWith(BROWSER_FOLDER)) {
      const targets = file.imports.flatMap((specifier) => targetOf(file, specifier) ?? [])
      return targets
        .filter((target) => target.startsWith(BROWSER_FOLDER))
        .map((target) => `${file.path} imports ${target}, which is for browsers`)
    }
    return file.runtimeImports
      .map((specifier) => targetOf(file, specifier) ?? specifier)
      .filter((target) => !target.startsWith(BROWSER_FOLDER) && !FOR_BROWSERS.has(target))
      .map((target) => `${file.path} runs ${target}, which is not for browsers`)
  })
}

export function cycleFaults(files: readonly SourceFile[]): string[] {
  const graph = new Map(
    files.map((file) => [file.path, file.imports.flatMap((specifier) => targetOf(file, specifier) ?? [])]),
  )
  const faults: string[] = []
  const done = new Set<string>()
  const visit = (path: string, trail: readonly string[]): void => {
    if (trail.includes(path)) {
      faults.push([...trail.slice(trail.indexOf(path)), path].join(' → '))
      return
    }
    if (done.has(path)) return
    for (const next of graph.get(path) ?? []) visit(next, [...trail, path])
    done.add(path)
  }
  for (const path of graph.keys()) visit(path, [])
  return faults
}

export function sizeFaults(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) => [
    ...(file.lines > FILE_LINES_MAX ? [`${file.path} has ${file.lines} lines`] : []),
    ...file.functions
      .filter((entry) => entry.lines > FUNCTION_LINES_MAX || entry.linesInAll > FACTORY_LINES_MAX)
      .map((entry) => `${file.path}:${entry.line} has ${entry.lines} lines: ${entry.name}`),
  ])
}

export function exportFaults(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) =>
    file.exports.flatMap(({ name, from }) => {
      if (from !== undefined) return [`${file.path} re-exports ${name} from ${from}`]
      return name === 'default' ? [`${file.path} has a default export`] : []
    }),
  )
}

/** Relative imports say which file they mean. */
export function extensionFaults(files: readonly SourceFile[]): string[] {
  return files.flatMap((file) =>
    file.imports
      .filter((specifier) => specifier.startsWith('.') && !/\.[a-z0-9]+$/i.test(specifier))
      .map((specifier) => `${file.path} imports ${specifier} without its extension`),
  )
}

export function openingFaults(files: readonly SourceFile[]): string[] {
  return files
    .filter((file) => !/^(?:#!.*\n)?\s*(?:\/\/|\/\*)\s*\S/.test(file.text))
    .map((file) => `${file.path} does not open with a comment`)
}

const UNFINISHED = /\b(?:TO[D]O|FIX[M]E|X[X]X)\b/
const MACHINE_PATH = /(?<![\w.:/-])\/(?:work|tmp|root|home|Users)(?=[/'"`\s)]|$)/m

export interface TextFile {
  readonly path: string
  readonly text: string
}

export function unfinishedFaults(files: readonly TextFile[]): string[] {
  return linesMatching(files, UNFINISHED)
}

export function machinePathFaults(files: readonly TextFile[]): string[] {
  return linesMatching(files, MACHINE_PATH)
}

function linesMatching(files: readonly TextFile[], pattern: RegExp): string[] {
  return files.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [])),
  )
}

/** Names of the tables (virtual ones included) that migrations create and do not drop again. */
export function tablesOf(migrations: readonly string[]): string[] {
  const tables = new Set<string>()
  for (const sql of migrations) {
    const statements = sql.replaceAll(/--.*$/gm, '').matchAll(TABLE_STATEMENT)
    for (const [, verb, name, newName] of statements) {
      if (verb === undefined || name === undefined) continue
      if (verb.startsWith('create')) tables.add(name)
      else tables.delete(name)
      if (newName !== undefined) tables.add(newName)
    }
  }
  return [...tables]
}

const TABLE_STATEMENT =
  /\b(create(?:\s+virtual)?\s+table|drop\s+table|alter\s+table(?=\s+\w+\s+rename\s+to))\s+(?:if\s+(?:not\s+)?exists\s+)?(\w+)(?:\s+rename\s+to\s+(\w+))?/g

const LOOKS_LIKE_SQL =
  /\bselect\b[^]*\bfrom\b|\binsert\s+(?:or\s+\w+\s+)?into\b|\breplace\s+into\b|\bupdate\s+(?:or\s+\w+\s+)?\w+\s+set\b|\bdelete\s+from\b|^\s*(?:where|from|left|join|and)\b/

/** Which tables the SQL texts of a file name, in `from`, `join`, `into` and `update`, comma lists included. */
export function tablesNamedIn(file: SourceFile, tables: readonly string[]): string[] {
  const sql = file.strings.filter((text) => LOOKS_LIKE_SQL.test(text)).join('\n;\n')
  const named = [
    ...sql.matchAll(
      /\b(?:from|join|into|update(?:\s+or\s+\w+)?)\s+(\w+(?:\s+\w+)?(?:\s*,\s*\w+(?:\s+\w+)?)*)/g,
    ),
  ]
  const words = new Set(named.flatMap(([, list]) => (list ?? '').split(/[\s,]+/)))
  return tables.filter((table) => words.has(table))
}

/** Every table belongs to exactly one file: nobody else names it, and somebody does. */
export function ownershipFaults(files: readonly SourceFile[], tables: readonly string[]): string[] {
  const named = files.map((file) => ({ path: file.path, tables: tablesNamedIn(file, tables) }))
  return tables.flatMap((table) => {
    const owners = named.filter((file) => file.tables.includes(table)).map((file) => file.path)
    if (owners.length === 1) return []
    if (owners.length === 0) return [`${table} is used by no file`]
    return [`${table} is named in the SQL of ${owners.join(', ')}`]
  })
}
