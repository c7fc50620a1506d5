// A shape as a grammar of llama.cpp (GBNF), so that a model can write nothing but JSON of that shape.
// No white space, properties in fixed order, every repetition bounded: whatever the model, the text ends.
// Syntax: the README of llama.cpp's `grammars` folder.

import { DECIMALS, NUMBER_MAX, type Shape } from './shape.ts'

/** A character of a JSON string. No `\u` escapes: everything printable can be written as it is. */
const CHARACTER = String.raw`[^"\\\x00-\x1F\x7F] | "\\" ["\\/bfnrt]`
/** Schemas count UTF-16 units: where the length is fixed, cutting a character of two would leave too few. */
const SINGLE_UNIT = String.raw`[^"\\\x00-\x1F\x7F\U00010000-\U0010FFFF] | "\\" ["\\/bfnrt]`
const DIGITS_MAX = String(NUMBER_MAX).length

/** Always starts at the rule `root`. Equal parts share a rule. */
export function grammarOf(shape: Shape): string {
  const names = new Map<string, string>()

  /** The name of the rule with that body. */
  function rule(body: string): string {
    const known = names.get(body)
    if (known !== undefined) return known
    const name = `r${names.size}`
    names.set(body, name)
    return name
  }

  function ruleOf(part: Shape): string {
    return rule(bodyOf(part))
  }

  function bodyOf(part: Shape): string {
    switch (part.kind) {
      case 'string':
        return stringBody(part)
      case 'number':
        return numberBody(part)
      case 'boolean':
        return '"true" | "false"'
      case 'enum':
        return [...new Set(part.values.map(literal))].join(' | ')
      case 'array':
        return arrayBody(ruleOf(part.items), part.min, part.max)
      case 'object':
        return objectBody(part.properties.map(([name, value]) => `${keyLiteral(name)} ${ruleOf(value)}`))
      case 'union':
        return part.options.map(ruleOf).join(' | ')
    }
  }

  function stringBody({ min, max }: Extract<Shape, { kind: 'string' }>): string {
    const character = min === max && max > 0 ? rule(SINGLE_UNIT) : 'character'
    return String.raw`"\"" ${repeated(character, min, max)} "\""`
  }

  const root = ruleOf(shape)
  const rules = [...names].map(([body, name]) => `${name} ::= ${body}`)
  return [`root ::= ${root}`, `character ::= ${CHARACTER}`, ...rules, ''].join('\n')
}

function objectBody(members: readonly string[]): string {
  return `"{" ${members.join(' "," ')} "}"`
}

function arrayBody(item: string, min: number, max: number): string {
  if (max === 0) return '"[]"'
  const rest = max > 1 ? ` ${repeated(`("," ${item})`, Math.max(0, min - 1), max - 1)}` : ''
  return min > 0 ? `"[" ${item}${rest} "]"` : `"[" (${item}${rest})? "]"`
}

/** Only as many digits, and only a sign, as the bounds allow; clipping does the rest. */
function numberBody({ whole, min, max }: Extract<Shape, { kind: 'number' }>): string {
  const digits = String(Math.trunc(Math.max(Math.abs(min), Math.abs(max)))).length
  const sign = min >= 0 ? '' : '"-"? '
  const more = Math.min(digits, DIGITS_MAX) - 1
  const natural = more === 0 ? '[0-9]' : `("0" | [1-9] [0-9]{0,${more}})`
  return sign + natural + (whole ? '' : ` ("." [0-9]{1,${DECIMALS}})?`)
}

function repeated(symbol: string, min: number, max: number): string {
  return max === 0 ? '""' : `${symbol}{${min},${max}}`
}

/** The JSON of a value as a literal of the grammar, whose escapes are those of JSON. */
function literal(value: unknown): string {
  return JSON.stringify(JSON.stringify(value))
}

function keyLiteral(name: string): string {
  return JSON.stringify(`${JSON.stringify(name)}:`)
}
