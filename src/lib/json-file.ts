// Small state files in JSON: read with a schema, replaced as a whole, never half written.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Parser } from './schema.ts'

/** The file's content, or `fallback` when there is no such file or it is not what `parser` expects. */
export function readJsonFile<T>(path: string, parser: Parser<T>, fallback: T): T {
  try {
    const parsed = parser.parse(JSON.parse(readFileSync(path, 'utf8')))
    return parsed.ok ? parsed.value : fallback
  } catch {
    // Absent, unreadable or not JSON: such files only hold what can be found out or said again.
    return fallback
  }
}

/** Creates missing folders. A reader sees the old or the new content, also after a crash. */
export function writeJsonFile(path: string, value: unknown): void {
  mkdirSync(dirname(path), { recursive: true })
  const temporary = `${path}.${process.pid}.tmp`
  writeFileSync(temporary, `${JSON.stringify(value, undefined, 2)}\n`, { flush: true })
  renameSync(temporary, path)
}
