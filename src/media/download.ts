// One item of a source → one file in a folder, probed. Streamed, bounded in size and time, and nothing is left behind
// when it fails.

import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { MediaProbe } from '../engines/ffmpeg.ts'
import { asError, isDiskFull, Problem } from '../lib/problem.ts'
import { HOUR } from '../lib/time.ts'
import type { BodyLimits } from '../net/limited-body.ts'
import { checkUrl } from '../net/policy.ts'
import { downloadDirect } from './direct.ts'
import { type MediaDeps, refuseLive, type SourceItem } from './source.ts'
import { asYtdlpInfo, seconds, type VideoInfo, videoInfoOf, videoInfoOfFile } from './video-info.ts'

export interface DownloadedMedia {
  readonly path: string
  readonly probe: MediaProbe
  /** The item's, completed by what the file tells (duration; for plain files also title and date). */
  readonly videoInfo: VideoInfo
}

export interface DownloadItemOptions extends Pick<BodyLimits, 'stallMs' | 'stallBytes'> {
  /** Existing folder of the task. */
  readonly folder: string
  readonly signal: AbortSignal
  readonly onProgress?: (bytes: number, totalBytes: number | undefined) => void
  /** Longest media to accept (`video_too_long` beyond); checked before the download where the site tells the length. */
  readonly maxS?: number
}

/** A download that takes longer is not worth waiting for. */
const MAX_DOWNLOAD_MS = 6 * HOUR

/** Throws Problems, or the signal's reason. */
export async function downloadItem(
  item: SourceItem,
  deps: MediaDeps,
  options: DownloadItemOptions,
): Promise<DownloadedMedia> {
  const late = AbortSignal.timeout(MAX_DOWNLOAD_MS)
  const signal = AbortSignal.any([options.signal, late])
  refuseTooLong(item.durationS, options.maxS)
  const folder = join(options.folder, `item-${item.index}`)
  await rm(folder, { recursive: true, force: true })
  try {
    const fetched = await fetchItem(item, deps, { ...options, folder, signal })
    const probe = await probeMedia(item, deps, fetched.path, signal)
    refuseTooLong(probe.durationS, options.maxS)
    return { path: fetched.path, probe, videoInfo: completed(item, fetched.videoInfo, probe) }
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    options.signal.throwIfAborted()
    if (isDiskFull(error)) {
      throw new Problem('system_overload', 'The disk of this server is full; try again later', {
        cause: error,
        temporary: true,
      })
    }
    if (!late.aborted) throw error
    throw new Problem('metadata_fetch_failed', 'The download of the media took too long', {
      cause: asError(error),
    })
  }
}

async function fetchItem(
  { way, videoInfo, index }: SourceItem,
  { config, fetcher, ytdlp }: MediaDeps,
  options: DownloadItemOptions,
): Promise<{ path: string; videoInfo: VideoInfo }> {
  const { folder, signal, stallMs, stallBytes, onProgress } = options
  const path = join(folder, 'media')
  await Bun.write(join(folder, '.keep'), '')
  const limits = {
    maxBytes: config.maxMediaBytes,
    signal,
    ...(stallMs === undefined ? {} : { stallMs }),
    ...(stallBytes === undefined ? {} : { stallBytes }),
    ...(onProgress === undefined ? {} : { onProgress }),
  }
  if (way.via === 'direct') {
    await downloadDirect(way.media.url, fetcher, { path, ...limits })
    return { path, videoInfo }
  }
  if (way.via === 'info') {
    return { path: await ytdlp.download(way.infoPath, { folder, ...limits }), videoInfo }
  }
  const url = checkUrl(way.url, fetcher.egress.policy)
  const { info, noMedia } = await ytdlp.metadata(url.href, { signal, maxItems: 1 })
  const known = asYtdlpInfo(info)
  if (!known || known['_type'] === 'playlist') throw noMedia
  refuseLive(known)
  refuseTooLong(seconds(known.duration) ?? undefined, options.maxS)
  const infoPath = join(folder, `item-${index}.info.json`)
  await Bun.write(infoPath, JSON.stringify(info))
  return {
    path: await ytdlp.download(infoPath, { folder, ...limits }),
    videoInfo: { ...videoInfo, ...videoInfoOf(known, url.href) },
  }
}

async function probeMedia(
  { way }: SourceItem,
  { ffmpeg }: MediaDeps,
  path: string,
  signal: AbortSignal,
): Promise<MediaProbe> {
  const probe = await ffmpeg.probe(path, { signal }).catch((error: unknown) => {
    signal.throwIfAborted()
    if (way.via !== 'direct' || way.media.declared) throw error
    throw new Problem('no_videos_found', `${way.media.url} is neither audio nor video`, { cause: error })
  })
  if (probe.hasAudio) return probe
  throw new Problem(
    'audio_extraction_failed',
    'The media has no audio track, so there is nothing to transcribe',
  )
}

function completed({ way }: SourceItem, videoInfo: VideoInfo, probe: MediaProbe): VideoInfo {
  if (way.via === 'direct') return { ...videoInfo, ...videoInfoOfFile(way.media.url, probe) }
  return { ...videoInfo, duration: videoInfo.duration ?? seconds(probe.durationS) }
}

function refuseTooLong(durationS: number | undefined, maxS: number | undefined): void {
  if (durationS === undefined || maxS === undefined || durationS <= maxS) return
  throw new Problem(
    'video_too_long',
    `The media is ${Math.round(durationS)} s long, and at most ${maxS} s are accepted here; use the asynchronous endpoint`,
  )
}
