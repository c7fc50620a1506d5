// Asking the server to search. Searches cost credits: what was asked before on this page is not asked again on the way back.

import type { FoundFiles, FoundVideos } from '../api-types.ts'
import { ApiError, call } from '../api.ts'
import { currentSession } from '../session-state.ts'

/** Where it is searched: the account's files, or online videos. */
export type Where = 'files' | 'videos'

const ANSWERS_MAX = 20
const answers = new Map<string, unknown>()

const keyOf = (where: Where, query: string): string =>
  `${currentSession().account?.id ?? ''} ${where} ${query}`

/** The next search for it asks the server again. */
export function forgetAnswer(where: Where, query: string): void {
  answers.delete(keyOf(where, query))
}

async function remembered<T>(key: string, ask: () => Promise<T>): Promise<T> {
  const known = answers.get(key)
  if (known !== undefined) return known as T
  const answer = await ask()
  if (answers.size >= ANSWERS_MAX) answers.clear()
  answers.set(key, answer)
  return answer
}

export function searchFiles(query: string, signal: AbortSignal): Promise<FoundFiles> {
  return remembered(keyOf('files', query), async () => {
    const { data } = await call<{ data: FoundFiles }>('POST', '/v1/search/file', { body: { query }, signal })
    return data
  })
}

export interface VideosFound {
  readonly data: FoundVideos
  /** Why there may be more; '' when this is all. */
  readonly remark: string
}

/** When the credits run out midway, what was found until then. */
export function searchVideos(query: string, signal: AbortSignal): Promise<VideosFound> {
  return remembered(keyOf('videos', query), async () => {
    try {
      const { data } = await call<{ data: FoundVideos }>('POST', '/v1/search/video', {
        body: { query },
        signal,
      })
      return { data, remark: '' }
    } catch (error) {
      const partial =
        error instanceof ApiError ? (error.body as { data?: FoundVideos } | undefined) : undefined
      if (error instanceof ApiError && partial?.data) return { data: partial.data, remark: error.message }
      throw error
    }
  })
}
