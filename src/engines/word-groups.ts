// Which words of a text were said where: the text of a whole window is better than that of its parts, but only the
// parts have times. The words of both are aligned (weighted edit distance), and each group takes its words of the whole.

/** Cost of two words standing for each other: 0 the same, less than dropping both when they sound alike. */
function mismatch(a: string, b: string): number {
  if (a === b) return 0
  if (a === '' || b === '') return 1.4
  return a.slice(0, 2) === b.slice(0, 2) ? 0.5 : 1
}
const SKIP_COST = 0.8

function key(word: string): string {
  return word.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '')
}

/**
 * `words` divided among the groups, in order and without losing one. `heard` is what each group gave by itself; a
 * group that gave nothing takes the words for which the others have no counterpart.
 */
export function divideWords(words: readonly string[], heard: readonly (readonly string[])[]): string[][] {
  const parts = heard.flatMap((group, index) => group.map((word) => ({ key: key(word), group: index })))
  const found = align(words.map(key), parts)
  const groups: string[][] = heard.map(() => [])
  let group = 0
  for (const [index, word] of words.entries()) {
    const next = found.slice(index).find((later) => later !== undefined) ?? heard.length
    // Without a counterpart: of a group between that heard nothing, or else of the group before.
    const silent = heard.findIndex((other, at) => at > group && at < next && other.length === 0)
    if (found[index] !== undefined) group = found[index]
    else if (silent !== -1) group = silent
    groups[group]?.push(word)
  }
  return groups
}

interface Part {
  readonly key: string
  readonly group: number
}

/** For each word, the group of the part it is aligned with; undefined for words without a counterpart. */
function align(words: readonly string[], parts: readonly Part[]): (number | undefined)[] {
  const width = parts.length + 1
  const costs = new Float64Array((words.length + 1) * width)
  const at = (word: number, part: number): number => costs[word * width + part] ?? Number.POSITIVE_INFINITY
  const swap = (word: number, part: number): number =>
    at(word - 1, part - 1) + mismatch(words[word - 1] ?? '', parts[part - 1]?.key ?? '')
  for (let word = 0; word <= words.length; word++) {
    for (let part = 0; part <= parts.length; part++) {
      if (word === 0 || part === 0) costs[word * width + part] = (word + part) * SKIP_COST
      else {
        const skip = Math.min(at(word - 1, part), at(word, part - 1)) + SKIP_COST
        costs[word * width + part] = Math.min(skip, swap(word, part))
      }
    }
  }
  const found: (number | undefined)[] = words.map(() => undefined)
  let word = words.length
  let part = parts.length
  while (word > 0 && part > 0) {
    if (at(word, part) === swap(word, part)) {
      found[word - 1] = parts[part - 1]?.group
      word--
      part--
    } else if (at(word, part) === at(word - 1, part) + SKIP_COST) word--
    else part--
  }
  return found
}
