// What goes into the built-in analysis engine and what comes out. It selects from what it was given and invents nothing.

/** A transcript's segment; times in seconds. */
export interface TimedText {
  readonly text: string
  readonly start: number
  readonly end: number
}

export interface Transcript {
  readonly segments: readonly TimedText[]
}

/** A person or a place, and the sentence of the transcript that says most about it. */
export interface Entity {
  readonly name: string
  readonly context: string
}

export interface Entities {
  readonly people: readonly Entity[]
  readonly places: readonly Entity[]
}

export type Importance = 'high' | 'medium' | 'low'

export interface KeySubject {
  readonly name: string
  readonly description: string
  readonly importance: Importance
}

export interface Answer {
  /** False when nothing in the transcript answers the question; then the other fields are empty. */
  readonly found: boolean
  /** Sentences of the transcript. */
  readonly answer: string
  /** -1 when nothing was found. */
  readonly bestSegmentIndex: number
  /** Best first. */
  readonly relevantSegmentIndexes: readonly number[]
}

/** One field of a caller's extraction schema; validated by whoever took it in. */
export interface Field {
  readonly type: 'String' | 'Number' | 'Integer' | 'Boolean' | 'Object' | 'Array' | 'Enum'
  readonly description: string
  readonly properties?: Readonly<Record<string, Field>>
  readonly items?: Field
  readonly enum?: readonly string[]
}

export type ExtractionSchema = Readonly<Record<string, Field>>
export type Value = string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value }

/** Text → unit vector, for the texts that were embedded; empty when there is no encoder. */
export type Vectors = ReadonlyMap<string, Float32Array>
