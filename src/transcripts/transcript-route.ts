// POST /transcript: the platform's own captions, at once. No task: what the request does ends with it, and it is charged in
// the transaction that keeps its result.

import type { Guard } from '../accounts/guard.ts'
import type { App } from '../app.ts'
import { balance, requireCredit } from '../billing/balance.ts'
import { charge, waive } from '../billing/ledger.ts'
import { priceMicros } from '../billing/meters.ts'
import { UsageBlock, usageBlock } from '../billing/usage-block.ts'
import { answer, success } from '../http/envelope.ts'
import { type Route, route } from '../http/route.ts'
import { newId } from '../lib/id.ts'
import { Problem } from '../lib/problem.ts'
import { type Infer, t } from '../lib/schema.ts'
import { resolveSource, selectItems } from '../media/source.ts'
import { withRequestFolder } from '../media/spool.ts'
import { asYtdlpInfo } from '../media/video-info.ts'
import { checkUrl } from '../net/policy.ts'
import { type Captions, captionsKey, findCachedCaptions, findCaptions, saveCaptions } from './captions.ts'
import { captionLanguages } from './caption-tracks.ts'
import { metadataMeter } from './charges.ts'
import { addToLibrary } from './library.ts'
import { fileFormatOf, FORMAT_TYPES, formatFlag, formattedAnswer } from './format-answer.ts'
import { findItemIndex, TranscribeFields } from './request.ts'
import { TranscriptSchema, VideoInfoSchema } from './schemas.ts'
import { listSegments, type Segment, transcriptBody } from './transcripts.ts'

const Body = t.Object({
  video_url: TranscribeFields.video_url,
  language: t.Optional(
    t.String({
      description:
        'ISO 639-1 code of the captions; absent: those of the spoken language, where there are any',
      pattern: '^[A-Za-z]{2}$',
      examples: ['en'],
    }),
  ),
  metadata_only: t.Optional(t.Boolean({ description: 'Only video_info; transcript is null' })),
  fallback_to_metadata: t.Optional(
    t.Boolean({ description: 'Where there are no captions: video_info and a transcript of null, not 404' }),
  ),
  transcript_text: TranscribeFields.transcript_text,
  format: formatFlag,
  include_usage: t.Optional(t.Boolean({ description: 'Attach the usage block of this call' })),
})
type Body = Infer<typeof Body>

const Data = t.Object({
  video_info: VideoInfoSchema,
  transcript: t.Union([TranscriptSchema, t.Null({ description: 'Metadata only' })]),
})

interface Outcome {
  readonly videoInfo: Readonly<Record<string, unknown>>
  /** Null: metadata only. */
  readonly segments: readonly Segment[] | null
}

export function transcriptRoute(app: App, auth: Guard): Route {
  return route(
    {
      method: 'POST',
      path: '/transcript',
      tag: 'Transcription',
      summary: 'Captions of an online video, where its platform has them',
      description: 'Nothing is listened to: use /transcribe for videos without captions.',
      auth: auth('transcribe'),
      body: Body,
      charges: true,
      responses: {
        200: t.Object({ status: t.Literal('success'), data: Data, usage: t.Optional(UsageBlock) }),
      },
      texts: FORMAT_TYPES,
      errors: ['limit_exceeded', 'video_not_found', 'transcript_not_available', 'metadata_fetch_failed'],
      slow: true,
    },
    async ({ body, caller, signal, commit }) => {
      const videoUrl = body.video_url.trim()
      checkUrl(videoUrl, app.config)
      const key = captionsKey(videoUrl, findItemIndex(videoUrl) ?? 0, body.language?.toLowerCase() ?? '')
      const accountId = caller.account.id
      const payment = {
        accountId,
        reference: newId(),
        meter: metadataMeter(videoUrl),
        quantity: 1,
      } as const
      const reply = ({ videoInfo, segments }: Outcome) => {
        const format = fileFormatOf(body.format)
        if (format !== undefined && segments && !body.metadata_only) {
          return formattedAnswer(format, { videoInfo, segments })
        }
        const transcript =
          segments && !body.metadata_only ? transcriptBody(segments, body.transcript_text ?? false) : null
        const usage = body.include_usage ? { usage: usageBlock(app, payment.reference) } : {}
        return answer(200, success({ video_info: videoInfo, transcript } as Infer<typeof Data>, usage))
      }
      const cached = findCachedCaptions(app, key)
      if (cached) {
        return commit(() => {
          waive(app, payment)
          addToLibrary(app, { accountId, cacheKey: key, transcriptId: cached.id, isOwn: true })
          return reply({ videoInfo: cached.videoInfo, segments: listSegments(app, cached.id) })
        })
      }
      requireCredit(balance(app, accountId), priceMicros(app.config.meters, payment.meter, 1))
      const { captions, videoInfo } = await fetchCaptions(app, body, signal)
      return commit(() => {
        charge(app, payment)
        if (captions) {
          const transcriptId = saveCaptions(app, key, captions)
          addToLibrary(app, { accountId, cacheKey: key, transcriptId, isOwn: true })
        }
        return reply({ videoInfo, segments: captions?.segments ?? null })
      })
    },
  )
}

interface Fetched {
  /** undefined where metadata is all that was wanted, or all there is and that is good enough. */
  readonly captions: Captions | undefined
  readonly videoInfo: Readonly<Record<string, unknown>>
}

function fetchCaptions(app: App, body: Body, signal: AbortSignal): Promise<Fetched> {
  const { engines, config, fetcher } = app
  const deps = { config, ffmpeg: engines.ffmpeg, ytdlp: engines.ytdlp, fetcher }
  return withRequestFolder(app, async (folder) => {
    const source = await resolveSource(body.video_url.trim(), deps, { folder, signal })
    const [item] = selectItems(source, { index: findItemIndex(body.video_url), all: false })
    const videoInfo = { ...(item?.videoInfo ?? source.videoInfo) }
    if (body.metadata_only) return { captions: undefined, videoInfo }
    let info: unknown
    if (item?.way.via === 'info') info = await Bun.file(item.way.infoPath).json()
    if (item?.way.via === 'page') {
      info = (await engines.ytdlp.metadata(item.way.url, { signal, maxItems: 1 })).info
    }
    const wanted = { info, videoInfo, language: body.language, folder, signal }
    const captions = await findCaptions(engines.ytdlp, wanted)
    if (captions) return { captions, videoInfo: captions.videoInfo }
    if (body.fallback_to_metadata) return { captions: undefined, videoInfo }
    throw notAvailable(captionLanguages(asYtdlpInfo(info) ?? {}), body.language)
  })
}

function notAvailable(languages: readonly string[], language: string | undefined): Problem {
  const others = languages.slice(0, 20).join(', ')
  return new Problem(
    'transcript_not_available',
    language !== undefined && others !== ''
      ? `The video has no captions in "${language}", but in: ${others}.`
      : 'The platform has no captions of this video. Use POST /transcribe to have it listened to.',
  )
}
