// What a field of a schema asks for: the words that should come up where its value is said, and what stands for it among
// the vectors.

import type { Field, Vectors } from './types.ts'
import { contentStems } from './words.ts'

/** Stems that say what form a value has, not what it is about. */
const FORM =
  /^(?:name|full|number|amount|whether|year|kind|sort|type|main|list|mention|valu|sum|total|person|peopl|place|citi|countri|town|locat|date|first|list|descript|all|ani|what|how|long|mani|much)$/

export interface FieldQuery {
  readonly name: string
  readonly field: Field
  /** Stems of the description's words that carry meaning and say what the value is about; of the name's if it has none. */
  readonly stems: readonly string[]
  /** Stems of the whole description and the name, the ones about form included. */
  readonly allStems: ReadonlySet<string>
  readonly vector: Float32Array | undefined
}

/** The text whose vector stands for a field. */
function queryText({ description }: Field): string {
  return description.replace(/^(?:whether|if)\s+/i, '').slice(0, 500)
}

export function enumText(value: string): string {
  return value.replaceAll(/[_-]+/g, ' ')
}

/** Texts of one field that need vectors: its description and its choices. */
export function queryTexts(field: Field): string[] {
  return [queryText(field), ...(field.enum ?? []).map(enumText)]
}

export function fieldQuery(name: string, field: Field, vectors: Vectors): FieldQuery {
  const text = queryText(field)
  const nameWords = name.replaceAll(/([a-z])([A-Z])/g, '$1 $2').replaceAll(/[_-]+/g, ' ')
  const all = contentStems(`${text} ${nameWords}`)
  const fromDescription = [...new Set(contentStems(text))]
  const telling = fromDescription.filter((stem) => !FORM.test(stem))
  const stems =
    telling.length > 0 ? telling : [...new Set(contentStems(nameWords))].filter((stem) => !FORM.test(stem))
  return {
    name,
    field,
    stems,
    allStems: new Set(all),
    vector: vectors.get(text),
  }
}
