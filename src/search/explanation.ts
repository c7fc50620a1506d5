// What a search did, in sentences for people.

import type { Embedder } from '../engines/embedder.ts'
import type { Findings } from './lookup.ts'
import type { Coverage } from './store.ts'

/** How the search is done; every reason for doing less is told. */
export interface Method {
  readonly coverage: Coverage
  readonly embedder: Embedder | undefined
  /** Why there is no embedder, or not the chosen one; a sentence. */
  readonly note: string | undefined
  readonly rerankedBy: string | undefined
  /** What is searched: one, several. */
  readonly sources: readonly [one: string, several: string]
}

/** `fileCount`: how many files the namespaces leave; undefined when all were searched. */
export function explain(method: Method, findings: Findings, fileCount: number | undefined): string {
  const { coverage, embedder, note, rerankedBy, sources } = method
  const files = fileCount ?? coverage.documents
  if (files === 0) return `There is no transcribed ${sources[0]} to search in.`
  const how = embedder ? `by meaning (${embedder.modelId}) and by words` : 'by words alone'
  const order = rerankedBy === undefined ? '' : `, and put the best in order with ${rerankedBy}`
  const corrections = findings.corrections.map(({ word, instead }) => {
    return `Nobody says "${word}", so ${instead.map((term) => `"${term}…"`).join(', ')} was looked for.`
  })
  return [
    `Searched ${files} ${sources[files === 1 ? 0 : 1]} ${how}${order}.`,
    ...(note === undefined ? [] : [note]),
    ...corrections,
    ...(findings.hits.length === 0 ? ['Nothing fits the query.'] : []),
  ].join(' ')
}
