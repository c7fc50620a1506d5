// What the fetch stage hands to the transcription stage (and what is written down in that job's arguments).

import { type Infer, parser, t } from '../lib/schema.ts'

const VideoInfoRecord = t.Record(t.String(), t.Unknown())

export const FetchedItem = t.Object({
  /** 1-based position within the source. */
  index: t.Integer({ minimum: 1 }),
  videoInfo: VideoInfoRecord,
  /** Path of the media below the task's spool folder; absent when there is an `error` or a cached transcript. */
  file: t.Optional(t.String()),
  cachedId: t.Optional(t.String()),
  cacheKey: t.Union([t.String(), t.Null()]),
  error: t.Optional(
    t.Object({ error: t.Union([t.String(), t.Null()]), message: t.String(), http_status: t.Integer() }),
  ),
})
export type FetchedItem = Infer<typeof FetchedItem>

export const CarouselCounts = t.Object({
  totalItems: t.Integer(),
  videoCount: t.Integer(),
  imageCount: t.Integer(),
})

export const transcribeArgs = parser(
  t.Object({
    taskId: t.String(),
    items: t.Array(FetchedItem),
    /** Given when all videos of a carousel were asked for. */
    carousel: t.Optional(CarouselCounts),
    /** What the stage before hands to the one behind, untouched. */
    handed: t.Optional(t.Record(t.String(), t.Unknown())),
  }),
)
