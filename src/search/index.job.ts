// A transcribed file → chunks, words and vectors in the index. Runs again with the same result: a file has one document,
// which replaces its former one.

import type { App } from '../app.ts'
import type { Embedder } from '../engines/embedder.ts'
import { findFile } from '../files/files.ts'
import { defineJob } from '../jobs/job.ts'
import { type Parsed, parser, t } from '../lib/schema.ts'
import { HOUR } from '../lib/time.ts'
import { findTranscript, listSegments, type Transcript } from '../transcripts/transcripts.ts'
import { chunksOf, type Stretch, stretchesOf } from './chunks.ts'
import { understands } from './language.ts'
import { type DocumentVectors, type NewDocument, removeDocument, replaceDocument } from './store.ts'

/** Texts whose tokens are counted with one request. */
const COUNTED_TOGETHER = 500

const indexArgs = parser(t.Object({ fileId: t.String() }))

export const indexJob = defineJob<Parsed<typeof indexArgs>>({
  kind: 'index_file',
  lane: 'analysis',
  attempts: 5,
  timeoutMs: HOUR,
  args: indexArgs,
  async run({ args: { fileId }, signal, report }, app) {
    const file = findFile(app, fileId)
    const transcript = file?.status === 'completed' ? findTranscript(app, file.transcriptId ?? '') : undefined
    if (!file || !transcript) return () => removeDocument(app, fileId)
    const { document, made } = await prepareDocument(app, transcript, { signal, onCut: () => report(0.3) })
    const { accountId } = file
    return () => {
      // Deleted meanwhile, or transcribed anew: then another job has been asked for.
      if (findFile(app, fileId)?.transcriptId !== transcript.id) return
      replaceDocument(app, { ...document, accountId, fileId }, made)
    }
  },
})

interface Prepared {
  readonly document: Omit<NewDocument, 'accountId' | 'fileId'>
  readonly made: DocumentVectors
}

/** The slow part: cuts the transcript and embeds the pieces with the chosen encoder. */
export async function prepareDocument(
  app: App,
  { id: transcriptId, language }: Transcript,
  { signal, onCut }: { readonly signal: AbortSignal; readonly onCut?: () => void },
): Promise<Prepared> {
  const embedder = await app.engines.embedder()
  const segments = listSegments(app, transcriptId).map(({ text, start, end }) => {
    return { text, startMs: start * 1_000, endMs: end * 1_000 }
  })
  const chunks = await cut(segments, embedder, signal)
  onCut?.()
  const made = await embedChunks(embedder, chunks, language, signal)
  return { document: { transcriptId, language, chunks }, made }
}

async function cut(
  segments: readonly Stretch[],
  embedder: Embedder,
  signal: AbortSignal,
): Promise<Stretch[]> {
  const stretches = stretchesOf(segments)
  const counted: (Stretch & { readonly tokens: number })[] = []
  for (let start = 0; start < stretches.length; start += COUNTED_TOGETHER) {
    const some = stretches.slice(start, start + COUNTED_TOGETHER)
    const counts = await embedder.countTokens(
      some.map(({ text }) => text),
      signal,
    )
    for (const [index, { startMs, endMs, text }] of some.entries()) {
      counted.push({ startMs, endMs, text, tokens: counts[index]?.tokens ?? 0 })
    }
  }
  return chunksOf(counted, embedder.maxTokens)
}

/** No vectors where the model does not understand what is said: they would mean nothing. */
export async function embedChunks(
  embedder: Embedder,
  chunks: readonly Pick<Stretch, 'text'>[],
  language: string | null,
  signal: AbortSignal,
): Promise<DocumentVectors> {
  const texts = chunks.map(({ text }) => text)
  const { modelId } = embedder
  if (!(await understands(embedder, texts.join(' '), language, signal))) return { modelId, vectors: null }
  return { modelId, vectors: await embedder.embed(texts, 'passage', signal) }
}
