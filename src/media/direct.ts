// Media files that are their own page: recognised by one look at the answer, downloaded by ourselves.

import { open, rm } from 'node:fs/promises'
import type { Config } from '../config.ts'
import { Problem } from '../lib/problem.ts'
import { findSite } from '../lib/site-list.ts'
import type { Fetched, Fetcher } from '../net/fetch.ts'
import { type BodyLimits, limitedBody, tooLarge } from '../net/limited-body.ts'
import { isVideoPlatform } from './platforms.ts'

const MEDIA_NAMES =
  /\.(?:mp4|m4v|m4a|m4b|mov|mp3|wav|webm|mkv|mka|avi|flv|wmv|wma|asf|ogg|oga|ogv|opus|flac|aac|ts|mpe?g|3gp)$/i
const MEDIA_TYPES = /^(?:audio|video)\/|^application\/(?:ogg|mp4|x-matroska)\b/i
/** Lists of media, which are yt-dlp's business, although they call themselves audio and video. */
const LIST_TYPES = /mpegurl|dash\+xml|\.mpd\b|scpls|xspf|smil/i
const UNSPECIFIC_TYPES =
  /^(?:application\/(?:octet-stream|binary|force-download|x-download)|binary\/octet-stream)/i

/** Nothing that could be heard, and nothing that yt-dlp should try its luck with. */
const OTHER_TYPES =
  /^(?:image|font|model)\/|^application\/(?:pdf|zip|gzip|x-tar|x-7z|msword|vnd\.(?:ms-|oasis|openxml))/i

const LOOK_LIMITS: BodyLimits = { maxBytes: Number.MAX_SAFE_INTEGER, stallMs: 10_000, stallBytes: 1 }

export interface DirectMedia {
  readonly url: string
  /** The server or the name says that it is audio or video: undecodable content is then damage, not a mistake. */
  readonly declared: boolean
}

/**
 * Looks at the first bytes behind `url`. undefined: a page, or something that only yt-dlp can judge. Throws Problems for
 * what is surely wrong: a forbidden address, an unreachable server, a media file that is missing or locked.
 */
export async function findDirectMedia(
  url: URL,
  { fetcher, config }: { readonly fetcher: Fetcher; readonly config: Pick<Config, 'siteCookies'> },
  signal: AbortSignal,
): Promise<DirectMedia | undefined> {
  // Asking them twice would only make them suspicious; and of ours, yt-dlp alone carries log-ins.
  if (isVideoPlatform(url) || findSite(url.hostname, config.siteCookies)) return undefined
  const fetched = await fetcher.fetch(url.href, { signal, headers: { 'accept-encoding': 'identity' } })
  const named = MEDIA_NAMES.test(url.pathname) || MEDIA_NAMES.test(fetched.url.pathname)
  if (fetched.status !== 200) {
    await fetched.body?.cancel()
    if (named) throw statusProblem(fetched.status, url)
    return undefined
  }
  const type = fetched.headers.get('content-type') ?? ''
  if (OTHER_TYPES.test(type)) {
    await fetched.body?.cancel()
    throw new Problem('no_videos_found', `${url.href} is of type ${type}, which is neither audio nor video`)
  }
  const declared = MEDIA_TYPES.test(type)
  const likely = declared || (named && type === '') || UNSPECIFIC_TYPES.test(type)
  if (!likely || LIST_TYPES.test(type)) {
    await fetched.body?.cancel()
    return undefined
  }
  return (await startsLikeText(fetched, signal)) ? undefined : { url: url.href, declared: declared || named }
}

/** Pages and playlists under a media type. Empty bodies are not text. */
async function startsLikeText({ body }: Fetched, signal: AbortSignal): Promise<boolean> {
  if (!body) return false
  for await (const chunk of limitedBody(body, LOOK_LIMITS, signal)) {
    const start = new TextDecoder().decode(chunk.subarray(0, 64)).trimStart()
    return /^(?:<[!?a-z]|#EXTM3U|\{|\[)/i.test(start)
  }
  return false
}

export interface DirectDownload extends Partial<BodyLimits> {
  readonly path: string
  readonly maxBytes: number
  readonly signal: AbortSignal
  readonly onProgress?: ((bytes: number, totalBytes: number | undefined) => void) | undefined
}

/** Streams `url` to `path`, in constant memory. Leaves no file behind when it fails. Returns the size in bytes. */
export async function downloadDirect(
  url: string,
  fetcher: Fetcher,
  options: DirectDownload,
): Promise<number> {
  const { path, signal, maxBytes, onProgress } = options
  const fetched = await fetcher.fetch(url, { signal, headers: { 'accept-encoding': 'identity' } })
  const length = Number(fetched.headers.get('content-length') ?? Number.NaN)
  const totalBytes = Number.isFinite(length) ? length : undefined
  if (fetched.status !== 200 || !fetched.body || (totalBytes ?? 0) > maxBytes) {
    await fetched.body?.cancel()
    throw fetched.status === 200 && fetched.body
      ? tooLarge(maxBytes)
      : statusProblem(fetched.status, new URL(url))
  }
  const file = await open(path, 'w', 0o600)
  let size = 0
  try {
    for await (const chunk of limitedBody(fetched.body, options, signal)) {
      await file.writeFile(chunk)
      size += chunk.byteLength
      onProgress?.(size, totalBytes)
    }
    if (totalBytes !== undefined && size < totalBytes) throw cutShort(size, totalBytes)
    return size
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

function cutShort(size: number, totalBytes: number): Problem {
  return new Problem(
    'metadata_fetch_failed',
    `The download of the media ended after ${size} of ${totalBytes} bytes; try again later`,
    { temporary: true },
  )
}

/** What an HTTP status other than 200 means for a media file. */
export function statusProblem(status: number, url: URL): Problem {
  const what = `The server of ${url.host} answered ${status}:`
  switch (status) {
    case 404:
    case 410:
      return new Problem('video_not_found', `${what} there is no such file`)
    case 401:
    case 402:
    case 403:
    case 407:
      return new Problem('content_restricted', `${what} the file needs a log-in or permission`)
    case 451:
      return new Problem(
        'geo_restricted',
        `${what} the file is not available in the region that this server is in`,
      )
    default: {
      const temporary = status >= 500 || status === 408 || status === 425 || status === 429
      const advice = temporary ? 'try again later' : 'the file cannot be fetched'
      return new Problem('metadata_fetch_failed', `${what} ${advice}`, { temporary })
    }
  }
}
