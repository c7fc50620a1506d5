// What an uploader says about a file, as text: the fields of a form, or the metadata of a resumable upload.

import type { App } from '../app.ts'
import { Problem } from '../lib/problem.ts'
import { chooseNamespaces } from './namespaces.ts'

const NAMESPACES_MAX = 1_000

const BOOLEANS: Readonly<Record<string, boolean>> = {
  true: true,
  '1': true,
  yes: true,
  y: true,
  false: false,
  '0': false,
  no: false,
  n: false,
}

export interface UploadFields {
  readonly waits: boolean
  /** `default` among them. */
  readonly namespaceIds: readonly string[]
  readonly language: string | undefined
}

/** `get`: the text of a field; undefined, empty or blank: not given. Throws Problem `invalid_parameter`. */
export function readUploadFields(
  app: Pick<App, 'db' | 'now'>,
  accountId: string,
  get: (name: string) => string | undefined,
): UploadFields {
  const given = (name: string): string | undefined => get(name)?.trim() || undefined
  return {
    waits: readBoolean(given('wait_for_completion')),
    namespaceIds: chooseNamespaces(app, accountId, readIds(given('namespace_ids'))),
    language: readLanguage(given('language')),
  }
}

function readBoolean(text = 'false'): boolean {
  const value = BOOLEANS[text.toLowerCase()]
  if (value !== undefined) return value
  throw new Problem(
    'invalid_parameter',
    '"wait_for_completion" must be one of true, false, 1, 0, yes, no, y, n.',
  )
}

function readIds(text = ''): readonly string[] {
  const ids = text.startsWith('[') ? parseList(text) : text.split(',').map((id) => id.trim())
  const given = ids.filter((id) => id !== '')
  if (given.length <= NAMESPACES_MAX) return given
  throw new Problem('invalid_parameter', `"namespace_ids" must have at most ${NAMESPACES_MAX} entries.`)
}

function parseList(json: string): readonly string[] {
  try {
    const value: unknown = JSON.parse(json)
    if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value
  } catch {
    // Told below.
  }
  throw new Problem(
    'invalid_parameter',
    '"namespace_ids" must be ids separated by commas, or a JSON array of strings.',
  )
}

function readLanguage(text: string | undefined): string | undefined {
  if (text === undefined || /^[A-Za-z]{2}$/.test(text)) return text?.toLowerCase()
  throw new Problem('invalid_parameter', '"language" must be an ISO 639-1 code such as en.')
}
