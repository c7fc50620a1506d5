// All results of a scrape as one JSON file, under a link that is its own permission for an hour. Streamed row by row.

import type { App } from '../app.ts'
import { type Route, route } from '../http/route.ts'
import { findTask } from '../jobs/tasks.ts'
import { Problem } from '../lib/problem.ts'
import { HOUR } from '../lib/time.ts'
import { checkSignedUrl, signUrl } from '../net/signed-url.ts'
import { listItems } from './results.ts'

const ROWS = 200

/** `base`: the server's public URL. Made anew at each call. */
export function downloadLink(app: Pick<App, 'db' | 'now'>, taskId: string, base: string): string {
  return signUrl(app, { base, path: `/shortvideo/${taskId}/videos.json`, expiresAt: app.now() + HOUR })
}

export function downloadRoute(app: App): Route {
  return route(
    {
      method: 'GET',
      path: '/shortvideo/{task_id}/videos.json',
      base: '',
      tag: 'Pages',
      summary: 'All results of a scrape under a signed link',
      responses: {},
      slow: true,
    },
    ({ request, params }) => {
      checkSignedUrl(app, new URL(request.url))
      const task = findTask(app, params.task_id)
      if (task?.status !== 'completed' || (task.expiresAt ?? Infinity) <= app.now()) {
        throw new Problem('task_not_found', 'The task of this file has expired.')
      }
      return new Response(fileOf(app, task.id), {
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'content-disposition': 'attachment; filename="videos.json"',
          'cache-control': 'private, no-store',
        },
      })
    },
  )
}

/** Results of a completed task never change, so they can be read in pieces. */
function fileOf(app: Pick<App, 'db'>, taskId: string): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let offset = 0
  return new ReadableStream({
    pull(controller) {
      const rows = listItems(app, taskId, { offset, limit: ROWS })
      const opening = offset === 0 ? '{"videos":[' : rows.length > 0 ? ',' : ''
      offset += rows.length
      const ended = rows.length < ROWS
      controller.enqueue(encoder.encode(`${opening}${rows.join(',')}${ended ? ']}' : ''}`))
      if (ended) controller.close()
    },
  })
}
