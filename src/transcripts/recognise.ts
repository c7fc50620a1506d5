// Media on disk → a transcript, as part of a job. Segments and checkpoint are stored together after each window, so that
// a job that is interrupted at any moment goes on behind the last window and neither loses nor doubles a segment.

import type { App } from '../app.ts'
import type { SpeechEngine, SpeechHints } from '../engines/speech-engine.ts'
import { parseCheckpoint, type SpeechResult } from '../engines/speech.ts'
import { transaction } from '../db/database.ts'
import { logRestart, logSegments, type Subject } from '../jobs/event-log.ts'
import type { JobContext } from '../jobs/job.ts'
import { type Parsed, parser, t } from '../lib/schema.ts'
import {
  appendSegments,
  completeTranscript,
  createTranscript,
  deleteTranscript,
  findTranscript,
  segmentOf,
} from './transcripts.ts'

export interface RecogniseOptions {
  /** Tells the pieces of media that one job works on apart, from 0. */
  readonly item: number
  readonly path: string
  /** ISO 639-1; detected when absent. */
  readonly language: string | undefined
  /** An installed speech model; absent: the one that is chosen now. */
  readonly speechModel?: string
  readonly hints?: SpeechHints
  /** As far as it is known; for the progress alone. */
  readonly durationS: number
  /** Null: not to be found again by URL. */
  readonly cacheKey: string | null
  readonly videoInfo: Readonly<Record<string, unknown>>
  /** Called as soon as there is a transcript to add to, also when an attempt has to start over with a new one. */
  readonly onCreated?: (transcriptId: string) => void
  /** Who may follow the work as it goes on; nobody when undefined. `item`: 1-based position within its post. */
  readonly followed: { readonly subject: Subject; readonly item: number } | undefined
  /** 0..1 */
  readonly onProgress: (share: number) => void
}

/** Plain JSON: the result of a step. */
export interface Recognised {
  readonly transcriptId: string
  readonly modelId: string
  readonly speech: SpeechResult
}

const Progress = parser(
  t.Object({ item: t.Integer(), transcriptId: t.String(), modelId: t.String(), speech: t.Unknown() }),
)
type Progress = Parsed<typeof Progress>

/** Owns the job's checkpoint. The transcript is complete only after `completeRecognised`. Rejects as `speech.transcribe`. */
export async function recognise(
  context: JobContext<unknown>,
  app: App,
  options: RecogniseOptions,
): Promise<Recognised> {
  const { item } = options
  const engine = await app.engines.speechEngine(options.speechModel)
  const { modelId } = engine
  const saved = savedProgress(app, context.checkpoint, { engine, item, followed: options.followed })
  const transcriptId = saved?.transcriptId ?? begin(app, options, modelId)
  const speech = await app.engines.speech.transcribe(options.path, {
    engine,
    language: engine.multilingual ? options.language : undefined,
    hints: options.hints,
    signal: context.signal,
    maxS: app.config.maxMediaS,
    resumeFrom: saved && parseCheckpoint(saved.speech, engine),
    onWindow(segments, checkpoint) {
      const progress: Progress = { item, transcriptId, modelId, speech: checkpoint }
      context.saveCheckpoint(progress, () => {
        const first = appendSegments(app, transcriptId, segments)
        const { followed } = options
        if (!followed) return
        logSegments(app, followed.subject, { item: followed.item, first, segments: segments.map(segmentOf) })
      })
    },
    onProgress({ positionMs }) {
      options.onProgress(Math.min(1, positionMs / Math.max(1, options.durationS * 1_000)))
    },
  })
  return { transcriptId, modelId, speech }
}

function begin(app: App, { cacheKey, videoInfo, onCreated }: RecogniseOptions, speechModel: string): string {
  const transcriptId = createTranscript(app, { cacheKey, videoInfo, speechModel })
  onCreated?.(transcriptId)
  return transcriptId
}

/** What an earlier attempt did of this item. When the speech model has changed since, it starts over. */
function savedProgress(
  app: App,
  checkpoint: unknown,
  { engine, item, followed }: { engine: SpeechEngine } & Pick<RecogniseOptions, 'item' | 'followed'>,
): Progress | undefined {
  const parsed = Progress.parse(checkpoint)
  if (!parsed.ok || parsed.value.item !== item) return undefined
  const { modelId, transcriptId } = parsed.value
  if (modelId === engine.modelId && findTranscript(app, transcriptId)) return parsed.value
  transaction(app.db, () => {
    deleteTranscript(app, transcriptId)
    if (followed) logRestart(app, followed.subject, followed.item)
  })
  return undefined
}

/** In the commit of the job. */
export function completeRecognised(
  app: App,
  { transcriptId, modelId, speech }: Recognised,
  videoInfo: Readonly<Record<string, unknown>>,
): void {
  const durationS = speech.durationMs / 1_000
  completeTranscript(app, transcriptId, {
    language: speech.language,
    durationS,
    videoInfo: {
      ...videoInfo,
      duration: videoInfo['duration'] ?? durationS,
      selected_language: speech.language,
      speech_model: modelId,
    },
  })
}
