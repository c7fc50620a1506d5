// Transcripts and their segments: they grow window by window while their job runs and serve as cache afterwards.
// Owns the tables `transcripts` and `transcript_segments`.

import type { App } from '../app.ts'
import type { SpeechSegment, Word } from '../engines/speech-engine.ts'
import { newId } from '../lib/id.ts'
import { parseOrThrow, parser, t } from '../lib/schema.ts'

type Context = Pick<App, 'db' | 'now'>

/** A segment as the API shows it; seconds with at most three decimals. */
export interface Segment {
  readonly text: string
  readonly start: number
  readonly end: number
}

export interface Transcript {
  readonly id: string
  readonly videoInfo: Readonly<Record<string, unknown>>
  readonly language: string | null
  readonly speechModel: string
  readonly durationS: number | null
}

interface TranscriptRow {
  readonly id: string
  readonly video_info: string
  readonly language: string | null
  readonly speech_model: string
  readonly duration_s: number | null
}

const COLUMNS = 'id, video_info, language, speech_model, duration_s'

export interface CacheKey {
  readonly canonicalUrl: string
  /** 1-based index within a carousel; 0 when the URL names none. */
  readonly item: number
  readonly speechModel: string
  /** What the caller asked for; '' when detected. */
  readonly language: string
}

export function cacheKeyText(key: CacheKey): string {
  return JSON.stringify([key.canonicalUrl, key.item, key.speechModel, key.language])
}

/** The opposite of `cacheKeyText`. */
export function readCacheKey(text: string): CacheKey {
  const [canonicalUrl, item, speechModel, language] = JSON.parse(text) as [string, number, string, string]
  return { canonicalUrl, item, speechModel, language }
}

/** Begins an empty transcript and returns its id. */
export function createTranscript(
  app: Context,
  options: { cacheKey: string | null; videoInfo: Readonly<Record<string, unknown>>; speechModel: string },
): string {
  const id = newId()
  app.db
    .query(
      `insert into transcripts (id, cache_key, video_info, speech_model, created_at)
       values ($id, $cacheKey, $videoInfo, $speechModel, $now)`,
    )
    .run({
      id,
      cacheKey: options.cacheKey,
      videoInfo: JSON.stringify(options.videoInfo),
      speechModel: options.speechModel,
      now: app.now(),
    })
  return id
}

/** Adds segments behind those stored; called in the transaction that saves the checkpoint. Returns where the first went. */
export function appendSegments(
  app: Context,
  transcriptId: string,
  segments: readonly SpeechSegment[],
): number {
  const row = app.db
    .query<{ next: number }, [{ transcriptId: string }]>(
      `select coalesce(max(position) + 1, 0) as next from transcript_segments where transcript_id = $transcriptId`,
    )
    .get({ transcriptId })
  const next = row?.next ?? 0
  const insert = app.db.query(
    `insert into transcript_segments (transcript_id, position, start_ms, end_ms, text, words)
     values ($transcriptId, $position, $startMs, $endMs, $text, $words)`,
  )
  for (const [index, segment] of segments.entries()) {
    insert.run({
      transcriptId,
      position: next + index,
      startMs: Math.round(segment.startMs),
      endMs: Math.round(segment.endMs),
      text: segment.text,
      words: segment.words ? JSON.stringify(segment.words.map(wordTuple)) : null,
    })
  }
  return next
}

function wordTuple(word: Word): [string, number, number, number] {
  return [word.text, Math.round(word.startMs), Math.round(word.endMs), Number(word.probability.toFixed(3))]
}

/** Completes it. A transcript of the same source that was completed before gives up its place in the cache. */
export function completeTranscript(
  app: Context,
  transcriptId: string,
  outcome: { language: string | null; durationS: number; videoInfo: Readonly<Record<string, unknown>> },
): void {
  app.db
    .query(
      `update transcripts set cache_key = null
       where complete = 1 and id <> $id and cache_key = (select cache_key from transcripts where id = $id)`,
    )
    .run({ id: transcriptId })
  app.db
    .query(
      `update transcripts
       set complete = 1, language = $language, duration_s = $durationS, video_info = $videoInfo where id = $id`,
    )
    .run({
      id: transcriptId,
      language: outcome.language,
      durationS: outcome.durationS,
      videoInfo: JSON.stringify(outcome.videoInfo),
    })
}

export function deleteTranscript(app: Pick<App, 'db'>, transcriptId: string): void {
  app.db.query(`delete from transcripts where id = $transcriptId`).run({ transcriptId })
}

/** Transcripts whose job ended without completing them: begun before `before` (epoch ms) and still incomplete. */
export function pruneIncomplete(app: Pick<App, 'db'>, before: number): number {
  return app.db.query(`delete from transcripts where complete = 0 and created_at < $before`).run({ before })
    .changes
}

export function findCached(app: Pick<App, 'db'>, cacheKey: string): Transcript | undefined {
  const row = app.db
    .query<TranscriptRow, [{ cacheKey: string }]>(
      `select ${COLUMNS} from transcripts where cache_key = $cacheKey and complete = 1`,
    )
    .get({ cacheKey })
  return row ? transcriptOf(row) : undefined
}

export function findTranscript(app: Pick<App, 'db'>, id: string): Transcript | undefined {
  const row = app.db
    .query<TranscriptRow, [{ id: string }]>(`select ${COLUMNS} from transcripts where id = $id`)
    .get({ id })
  return row ? transcriptOf(row) : undefined
}

function transcriptOf(row: TranscriptRow): Transcript {
  return {
    id: row.id,
    videoInfo: JSON.parse(row.video_info) as Record<string, unknown>,
    language: row.language,
    speechModel: row.speech_model,
    durationS: row.duration_s,
  }
}

/** As the API shows it: whole milliseconds, in seconds. */
export function segmentOf({
  text,
  startMs,
  endMs,
}: Pick<SpeechSegment, 'text' | 'startMs' | 'endMs'>): Segment {
  return { text, start: Math.round(startMs) / 1_000, end: Math.round(endMs) / 1_000 }
}

interface SegmentRow {
  readonly start_ms: number
  readonly end_ms: number
  readonly text: string
}

export function listSegments(app: Pick<App, 'db'>, transcriptId: string): Segment[] {
  return app.db
    .query<SegmentRow, [{ transcriptId: string }]>(
      `select start_ms, end_ms, text from transcript_segments where transcript_id = $transcriptId order by position`,
    )
    .all({ transcriptId })
    .map((row) => segmentOf({ text: row.text, startMs: row.start_ms, endMs: row.end_ms }))
}

/** The transcript as the API serves it: segments, or with `asText` one plain-text string. */
export function transcriptBody(segments: readonly Segment[], asText: boolean): readonly Segment[] | string {
  return asText ? segments.map((segment) => segment.text).join(' ') : segments
}

const StoredWords = parser(t.Array(t.Tuple([t.String(), t.Number(), t.Number(), t.Number()])))

export interface TimedSegment extends Segment {
  /** Absent where the engine gives no word times. */
  words?: TimedWord[]
}

/** Seconds. */
export interface TimedWord {
  readonly text: string
  readonly start: number
  readonly end: number
  /** 0..1 */
  readonly probability: number
}

export function listTimedSegments(app: Pick<App, 'db'>, transcriptId: string): TimedSegment[] {
  return app.db
    .query<SegmentRow & { readonly words: string | null }, [{ transcriptId: string }]>(
      `select start_ms, end_ms, text, words from transcript_segments
       where transcript_id = $transcriptId order by position`,
    )
    .all({ transcriptId })
    .map((row) => {
      const segment: TimedSegment = segmentOf({ text: row.text, startMs: row.start_ms, endMs: row.end_ms })
      if (row.words !== null) segment.words = timedWords(row.words)
      return segment
    })
}

function timedWords(json: string): TimedWord[] {
  return parseOrThrow(StoredWords, JSON.parse(json), 'the words of a segment').map(
    ([text, startMs, endMs, probability]) => ({
      text,
      start: startMs / 1_000,
      end: endMs / 1_000,
      probability,
    }),
  )
}
