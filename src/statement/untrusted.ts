// Looking into answers whose shape nobody promised: what is not there, or is something else, reads as nothing.

const LIST_MAX = 100
const TEXT_MAX = 30_000

export function at(value: unknown, ...path: readonly string[]): unknown {
  let current = value
  for (const name of path) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, name)) return undefined
    current = (current as Readonly<Record<string, unknown>>)[name]
  }
  return current
}

/** '' for anything but a text; cut at a length that no post reaches. */
export function textAt(value: unknown, ...path: readonly string[]): string {
  const found = at(value, ...path)
  return typeof found === 'string' ? found.slice(0, TEXT_MAX) : ''
}

/** The first entries; none for anything but a list. */
export function listAt(value: unknown, ...path: readonly string[]): readonly unknown[] {
  const found = at(value, ...path)
  return Array.isArray(found) ? (found as unknown[]).slice(0, LIST_MAX) : []
}
