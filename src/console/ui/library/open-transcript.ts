// An address → the page on which its transcript appears. One that is known already is there at once and costs nothing.

import { send } from '../api.ts'
import { navigate } from '../router.ts'

/** Throws ApiError. */
export async function openTranscript(url: string): Promise<void> {
  const { task_id } = await send<{ task_id: string }>('POST', '/v1/transcribe/async', { video_url: url })
  navigate(`/tasks/${encodeURIComponent(task_id)}`)
}
