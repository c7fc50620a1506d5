// The shapes of the API's answers, taken from the very schemas by which the server answers: they cannot drift apart.

import type { TranscriptAnalysis } from '../../analysis/schemas.ts'
import type { FileInfo } from '../../files/file-info.ts'
import type { Infer } from '../../lib/schema.ts'
import type { SearchAnswer } from '../../search/file-route.ts'
import type { VideoResult, VideoSearchData } from '../../search/video-request.ts'
import type { SegmentSchema, TranscriptionResult, VideoInfoSchema } from '../../transcripts/schemas.ts'

export type MediaFile = FileInfo
export type Segment = Infer<typeof SegmentSchema>
export type Analysis = TranscriptAnalysis
export type VideoInfo = Infer<typeof VideoInfoSchema>
export type Transcription = Infer<typeof TranscriptionResult>
export type FoundFiles = Infer<typeof SearchAnswer>['data']
export type FoundFile = FoundFiles['results'][number]
export type FoundVideos = VideoSearchData
export type FoundVideo = VideoResult
export type Namespace = FileInfo['namespaces'][number]

export interface FilePage {
  readonly files: readonly MediaFile[]
  readonly total_count: number
  readonly has_more: boolean
}

export interface FileWithTranscript {
  readonly file_info: MediaFile
  readonly transcript?: readonly Segment[]
}

/** Which engine an analysis came from; `builtin` where there is no language model. */
export interface EngineName {
  readonly name: string
  readonly model: string | null
}
