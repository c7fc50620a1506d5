// YAML from strangers → plain JSON-like data. Anchors are never followed, so nothing can refer to itself or multiply; the
// text is short, because the parser is no fast one; what is nested too deep ends in an exception, not in a crash.

import { isAlias, isNode, parseDocument, visit } from 'yaml'
import { Problem } from '../lib/problem.ts'

export const YAML_BYTES_MAX = 32_768

const OPTIONS = {
  uniqueKeys: true,
  stringKeys: true,
  schema: 'core',
  merge: false,
  prettyErrors: false,
} as const

/**
 * Throws Problem `invalid_parameter` (`input_too_large` beyond `YAML_BYTES_MAX`) whose message begins with `what` and
 * repeats nothing of the text.
 */
export function parseYaml(text: string, what: string): unknown {
  if (Buffer.byteLength(text) > YAML_BYTES_MAX) {
    throw new Problem(
      'input_too_large',
      `${what} is larger than ${YAML_BYTES_MAX} bytes, the limit for YAML. Shorten it, or send JSON.`,
    )
  }
  const document = parse(text, what)
  const [error] = document.errors
  if (error) throw refuse(`${what} is not valid YAML (${REASONS[error.code] ?? 'syntax'}).`, error)
  visit(document, (_key, node) => {
    if (isAlias(node) || (isNode(node) && 'anchor' in node && node.anchor !== undefined))
      throw refuse(`${what} uses YAML anchors or aliases, which are not accepted. Write each part out.`)
  })
  return document.toJS({ maxAliasCount: 0 })
}

const REASONS: Readonly<Record<string, string>> = {
  DUPLICATE_KEY: 'the same name twice in one map',
  MULTIPLE_DOCS: 'more than one document',
  NON_STRING_KEY: 'a name that is no text',
  RESOURCE_EXHAUSTION: 'nested too deep',
}

function parse(text: string, what: string): ReturnType<typeof parseDocument> {
  try {
    return parseDocument(text, OPTIONS)
  } catch (cause) {
    throw refuse(`${what} is not valid YAML.`, cause)
  }
}

function refuse(message: string, cause?: unknown): Problem {
  return new Problem('invalid_parameter', message, { cause })
}
