// Tasks that only need to know what is said take a platform's captions before they listen: analysis and extraction. For
// them the fetch stage asks here, and skips download and speech when there is an answer.

import type { App } from '../app.ts'
import type { JobType, Task } from '../jobs/tasks.ts'
import { Problem } from '../lib/problem.ts'
import type { SourceItem } from '../media/source.ts'
import { type Captions, captionsKey, findCachedCaptions, findCaptions } from './captions.ts'
import { findItemIndex, type TranscribeRequest } from './request.ts'

const TAKERS: ReadonlySet<JobType> = new Set(['analyze_video', 'extract_video', 'channel_video'])

/** Whether the task is content with captions. */
export function takesCaptions({ jobType }: Pick<Task, 'jobType'>, request: TranscribeRequest): boolean {
  return TAKERS.has(jobType) && !request.all_videos
}

/** Under which the captions that a request means are kept. */
export function captionsKeyOf({ video_url, language }: TranscribeRequest): string {
  return captionsKey(video_url, findItemIndex(video_url) ?? 0, language ?? '')
}

/** Id of the transcript, when the captions are known already. */
export function findKnownCaptions(app: Pick<App, 'db'>, request: TranscribeRequest): string | undefined {
  return findCachedCaptions(app, captionsKeyOf(request))?.id
}

/**
 * Captions if the platform has them; undefined: listen instead. That they could not be had is no failure, because the
 * media may be. Rejects with the signal's reason only.
 */
export async function captionsOfItem(
  app: App,
  item: SourceItem,
  options: { readonly language: string | undefined; readonly folder: string; readonly signal: AbortSignal },
): Promise<Captions | undefined> {
  if (item.way.via !== 'info') return undefined
  try {
    const info: unknown = await Bun.file(item.way.infoPath).json()
    return await findCaptions(app.engines.ytdlp, { info, videoInfo: { ...item.videoInfo }, ...options })
  } catch (error) {
    options.signal.throwIfAborted()
    if (!(error instanceof Problem)) throw error
    app.log.info(
      { err: error, url: item.videoInfo.url },
      'captions could not be had; the media is heard instead',
    )
    return undefined
  }
}
