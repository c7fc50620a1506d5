// JSON text → value, refusing what JSON.parse lets through: deep nesting and ambiguous duplicate names.
// One pass, no recursion: the text may come from anyone.

import { Problem } from '../lib/problem.ts'

export const JSON_DEPTH_MAX = 64

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COLON = 0x3a
const OPEN_LIST = 0x5b
const CLOSE_LIST = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** Throws Problem `invalid_parameter`; the message never repeats any of the text. */
export function parseJson(text: string): unknown {
  const value = parseOrRefuse(text)
  refuseDeepOrAmbiguous(text)
  return value
}

function parseOrRefuse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Problem('invalid_parameter', 'The body is not valid JSON.', { cause })
  }
}

/** `text` is known to be valid JSON, so that brackets match and every string ends. */
function refuseDeepOrAmbiguous(text: string): void {
  // The names seen in each open object; undefined for a list.
  const open: (Set<string> | undefined)[] = []
  let lastString = ''
  for (let at = 0; at < text.length; at++) {
    const character = text.charCodeAt(at)
    if (character === QUOTE) {
      const end = endOfString(text, at)
      lastString = text.slice(at, end)
      at = end - 1
    } else if (character === OPEN_OBJECT || character === OPEN_LIST) {
      open.push(character === OPEN_OBJECT ? new Set() : undefined)
      if (open.length > JSON_DEPTH_MAX) {
        throw new Problem('invalid_parameter', `The body is nested deeper than ${JSON_DEPTH_MAX} levels.`)
      }
    } else if (character === CLOSE_OBJECT || character === CLOSE_LIST) {
      open.pop()
    } else if (character === COLON) {
      refuseSecond(open.at(-1), lastString)
    }
  }
}

function refuseSecond(names: Set<string> | undefined, quoted: string): void {
  // Escapes can spell one name in two ways.
  const name = quoted.includes('\\') ? String(JSON.parse(quoted)) : quoted.slice(1, -1)
  if (names?.has(name)) {
    throw new Problem('invalid_parameter', 'The body has the same field twice in one object. Send it once.')
  }
  names?.add(name)
}

/** Index after the closing quote. */
function endOfString(text: string, start: number): number {
  let at = start + 1
  while (at < text.length && text.charCodeAt(at) !== QUOTE) {
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1
  }
  return at + 1
}
