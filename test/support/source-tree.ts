// Reads source files into what the architecture rules look at: imports, exports, function lengths, SQL texts.
// Paths are relative to the repository's root, with forward slashes.

import { readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { parseSync, Visitor } from 'oxc-parser'

export interface SourceFunction {
  readonly name: string
  readonly line: number
  /** Without the functions inside it that have a name of their own: those are counted for themselves. */
  readonly lines: number
  /** With everything inside it. */
  readonly linesInAll: number
}

export interface SourceFile {
  readonly path: string
  readonly text: string
  readonly lines: number
  /** Module specifiers of every import, type-only and dynamic ones included, as written. */
  readonly imports: readonly string[]
  /** Those of them that are there when the code runs. */
  readonly runtimeImports: readonly string[]
  /** Names (`default` included) that the file exports; `from` is set when they come from another module. */
  readonly exports: readonly { readonly name: string; readonly from: string | undefined }[]
  readonly functions: readonly SourceFunction[]
  /** Texts of string and template literals; substitutions are replaced by `?`. */
  readonly strings: readonly string[]
}

/** Every file matching `pattern` under `root`, sorted by path. */
export function readSources(root: string, pattern: string): SourceFile[] {
  const paths = [...new Bun.Glob(pattern).scanSync(root)].toSorted()
  return paths.map((path) => parseSource(path, readFileSync(join(root, path), 'utf8')))
}

export function parseSource(path: string, text: string): SourceFile {
  const { program, module, errors } = parseSync(path, text)
  if (errors.length > 0) throw new Error(`${path} does not parse: ${errors[0]?.message}`)
  const imports = module.staticImports.map((entry) => entry.moduleRequest.value)
  const runtimeImports = module.staticImports
    .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
    .map((entry) => entry.moduleRequest.value)
  const spans: FunctionSpan[] = []
  const strings: string[] = []
  const lineAt = lineIndex(text)
  const measure = (node: { start: number; end: number; id?: unknown }): void => {
    const first = lineAt(node.start)
    const name = text.slice(node.start, node.end).split('\n', 1)[0]?.slice(0, 60) ?? ''
    if (!isSuite(text, node.start))
      spans.push({ name, first, last: lineAt(node.end), named: node.id !== null })
  }
  new Visitor({
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
    ImportExpression: (node) => {
      if (node.source.type !== 'Literal') return
      imports.push(String(node.source.value))
      runtimeImports.push(String(node.source.value))
    },
    TSImportType: (node) => {
      imports.push(node.source.value)
    },
    Literal: (node) => {
      if (typeof node.value === 'string') strings.push(node.value)
    },
    TemplateLiteral: (node) => {
      strings.push(node.quasis.map((part) => part.value.cooked ?? part.value.raw).join('?'))
    },
  }).visit(program)
  const exports = module.staticExports
    .flatMap((statement) => statement.entries)
    .map((entry) => {
      const kind: string = entry.exportName.kind
      const name = kind === 'Default' ? 'default' : (entry.exportName.name ?? '*')
      return { name, from: entry.moduleRequest?.value }
    })
  imports.push(...exports.flatMap((entry) => entry.from ?? []))
  const functions = spans.map((span) => functionOf(span, spans))
  const lines = text.split('\n').length - 1
  return { path, text, lines, imports, runtimeImports, exports, functions, strings }
}

interface FunctionSpan {
  readonly name: string
  readonly first: number
  readonly last: number
  readonly named: boolean
}

function functionOf(span: FunctionSpan, all: readonly FunctionSpan[]): SourceFunction {
  const inside = all.filter((other) => other !== span && other.first >= span.first && other.last <= span.last)
  const named = inside.filter((other) => other.named)
  const outermost = named.filter(
    (one) => !named.some((other) => other !== one && other.first <= one.first && other.last >= one.last),
  )
  const linesInAll = span.last - span.first + 1
  const apart = outermost.reduce((sum, { first, last }) => sum + last - first + 1, 0)
  return { name: span.name, line: span.first, lines: linesInAll - apart, linesInAll }
}

/** A relative import's target as a path from the root; undefined for packages. */
export function targetOf(file: SourceFile, specifier: string): string | undefined {
  return specifier.startsWith('.') ? normalize(join(dirname(file.path), specifier)) : undefined
}

/** `describe` blocks and file-level test suites are lists of tests, not functions with a train of thought. */
function isSuite(text: string, start: number): boolean {
  return /\bdescribe(?:\.\w+(?:\([^()]*\))?)?\((?:[^()]|\([^()]*\))*,\s*$/.test(
    text.slice(Math.max(0, start - 200), start),
  )
}

function lineIndex(text: string): (offset: number) => number {
  const starts = [0]
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) starts.push(at + 1)
  return (offset) => {
    let low = 0
    let high = starts.length
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if ((starts[middle] ?? 0) <= offset) low = middle
      else high = middle
    }
    return low + 1
  }
}
