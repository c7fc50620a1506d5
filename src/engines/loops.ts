// Speech models sometimes fall into saying the same thing over and over. What only repeats is dropped here.

/** A phrase of up to so many words is looked for … */
const MAX_PERIOD = 12
/** … and is a loop when it comes at least so many times in a row … */
const MIN_REPEATS = 4
/** … and so many words in all, so that "no, no, no, no" and a row of equal digits stay. */
const MIN_WORDS = 10

/**
 * `items` with each loop shortened to its first round. `keyOf` says what counts as the same; items whose key is
 * '' (punctuation) never start a loop.
 */
export function withoutLoops<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  const keys = items.map(keyOf)
  const kept: T[] = []
  let at = 0
  while (at < items.length) {
    const loop = loopAt(keys, at)
    const end = at + (loop?.period ?? 1)
    kept.push(...items.slice(at, end))
    at = loop ? at + loop.length : end
  }
  return kept
}

/** The loop that begins at `start`: its phrase's length and its whole length, a last incomplete round included. */
function loopAt(keys: readonly string[], start: number): { period: number; length: number } | undefined {
  if (keys[start] === '') return undefined
  for (let period = 1; period <= MAX_PERIOD; period++) {
    let length = period
    while (start + length < keys.length && keys[start + length] === keys[start + length - period]) length++
    if (length >= Math.max(MIN_REPEATS * period, MIN_WORDS)) return { period, length }
  }
  return undefined
}
