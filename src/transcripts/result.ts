// The result of a transcription task: what the synchronous answer carries in `data` and the poll in `result`.

import type { App } from '../app.ts'
import type { ProblemRecord } from '../lib/problem.ts'
import type { TranscribeRequest } from './request.ts'
import { findTranscript, listSegments, transcriptBody } from './transcripts.ts'

/** One item of the source: its transcript, or why there is none. */
export type ItemOutcome =
  | { readonly index: number; readonly transcriptId: string }
  | {
      readonly index: number
      readonly error: ProblemRecord
      readonly videoInfo: Readonly<Record<string, unknown>>
    }

export interface CarouselCounts {
  readonly totalItems: number
  readonly videoCount: number
  readonly imageCount: number
}

/** `carousel` is given when all videos of a post were asked for; else `items` holds the one transcript. */
export function transcriptionResult(
  app: Pick<App, 'db'>,
  request: Pick<TranscribeRequest, 'transcript_text'>,
  items: readonly ItemOutcome[],
  carousel: CarouselCounts | undefined,
): Record<string, unknown> {
  const videos = items.map((item) => videoEntry(app, request, item))
  if (!carousel) {
    const { video_info, transcript } = videos[0] ?? {}
    return { video_info, transcript }
  }
  const durations = videos.map(({ video_info }) => Number(video_info['duration'] ?? 0))
  return {
    carousel_info: {
      total_items: carousel.totalItems,
      video_count: carousel.videoCount,
      image_count: carousel.imageCount,
      transcribed_count: videos.filter((video) => video.status === 'success').length,
      total_duration: Number(durations.reduce((sum, duration) => sum + duration, 0).toFixed(3)),
    },
    videos,
  }
}

interface VideoEntry {
  readonly index: number
  readonly status: 'success' | 'error'
  readonly video_info: Readonly<Record<string, unknown>>
  readonly transcript: unknown
  readonly error: string | null
  readonly message: string | null
}

function videoEntry(
  app: Pick<App, 'db'>,
  request: Pick<TranscribeRequest, 'transcript_text'>,
  item: ItemOutcome,
): VideoEntry {
  if ('error' in item) {
    const { error, message } = item.error
    return {
      index: item.index,
      status: 'error',
      video_info: item.videoInfo,
      transcript: null,
      error,
      message,
    }
  }
  const transcript = findTranscript(app, item.transcriptId)
  const segments = listSegments(app, item.transcriptId)
  return {
    index: item.index,
    status: 'success',
    video_info: transcript?.videoInfo ?? {},
    transcript: transcriptBody(segments, request.transcript_text),
    error: null,
    message: null,
  }
}
