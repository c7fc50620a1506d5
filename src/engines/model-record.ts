// A model in listings, as JSON: what it is, whether it is there, and whether it suits this machine.

import type { Model } from './model-catalogue.ts'
import type { ModelState } from './models.ts'

export interface ModelRecord {
  readonly id: string
  readonly task: string
  readonly name: string
  readonly format: string
  readonly languages: readonly string[]
  readonly licence: string
  /** Null when the size of a file is not published. */
  readonly size_bytes: number | null
  readonly memory_bytes: number
  readonly state: ModelState['state']
  readonly in_use: boolean
  readonly recommended: boolean
  readonly notes: string
}

export function modelRecord({ model, state, inUse, recommended }: ModelState): ModelRecord {
  return {
    id: model.id,
    task: model.task,
    name: model.name,
    format: model.format,
    languages: model.languages,
    licence: model.licence,
    size_bytes: totalBytes(model) ?? null,
    memory_bytes: model.memoryBytes,
    state,
    in_use: inUse,
    recommended,
    notes: model.notes,
  }
}

/** undefined when the size of a file is not published. Small unpublished companions do not count. */
export function totalBytes(model: Model): number | undefined {
  const sizes = model.files.flatMap((file) => file.sizeBytes ?? [])
  return model.files[0]?.sizeBytes ? sizes.reduce((sum, size) => sum + size, 0) : undefined
}
