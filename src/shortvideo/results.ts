// What scrapes have found so far, row by row, and how far they are. Owns the tables `shortvideo_runs` and
// `shortvideo_items`; both go with their task.

import type { App } from '../app.ts'
import { transaction } from '../db/database.ts'
import { newId } from '../lib/id.ts'

type Context = Pick<App, 'db'>

export interface RunState {
  /** The profile, or where a search would go on; null until the first page has come. */
  readonly about: unknown
  readonly scanned: number
  readonly matched: number
  readonly pages: number
}

/** Begins anew: what an earlier attempt found is forgotten, and that attempt can write no more. Returns the attempt. */
export function beginRun({ db }: Context, taskId: string): string {
  const attempt = newId()
  transaction(db, () => {
    db.query(`delete from shortvideo_items where task_id = $taskId`).run({ taskId })
    db.query(
      `insert into shortvideo_runs (task_id, attempt) values ($taskId, $attempt)
       on conflict (task_id) do update set attempt = $attempt, about = null, items_scanned = 0, pages = 0`,
    ).run({ taskId, attempt })
  })
  return attempt
}

export interface PageResult {
  readonly taskId: string
  readonly attempt: string
  /** All so far. */
  readonly scanned: number
  readonly pages: number
  readonly about: unknown
  /** Behind those stored. */
  readonly items: readonly { readonly sortKey: number; readonly item: unknown }[]
}

/** Adds a page. Throws when another attempt has begun, or the task is gone. */
export function savePage({ db }: Context, page: PageResult): void {
  const { taskId, attempt, scanned, pages, about, items } = page
  transaction(db, () => {
    const { changes } = db
      .query(
        `update shortvideo_runs set items_scanned = $scanned, pages = $pages, about = $about
         where task_id = $taskId and attempt = $attempt`,
      )
      .run({
        taskId,
        attempt,
        scanned,
        pages,
        about: about === undefined ? null : JSON.stringify(about),
      })
    if (changes !== 1) throw new Error('another attempt scrapes for this task now, or the task is gone')
    const first = countItems({ db }, taskId)
    const insert = db.query(
      `insert into shortvideo_items (task_id, position, sort_key, item) values ($taskId, $position, $sortKey, $item)`,
    )
    for (const [index, { item, sortKey }] of items.entries()) {
      insert.run({ taskId, position: first + index, sortKey, item: JSON.stringify(item) })
    }
  })
}

export function findRun({ db }: Context, taskId: string): RunState | undefined {
  const row = db
    .query<{ about: string | null; items_scanned: number; pages: number }, [{ taskId: string }]>(
      `select about, items_scanned, pages from shortvideo_runs where task_id = $taskId`,
    )
    .get({ taskId })
  if (!row) return undefined
  return {
    about: row.about === null ? null : (JSON.parse(row.about) as unknown),
    scanned: row.items_scanned,
    matched: countItems({ db }, taskId),
    pages: row.pages,
  }
}

export function countItems({ db }: Context, taskId: string): number {
  const row = db
    .query<{ n: number }, [{ taskId: string }]>(
      `select count(*) as n from shortvideo_items where task_id = $taskId`,
    )
    .get({ taskId })
  return row?.n ?? 0
}

/** In the order in which results are shown; each as JSON text. */
export function listItems(
  { db }: Context,
  taskId: string,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): string[] {
  return db
    .query<{ item: string }, [{ taskId: string; offset: number; limit: number }]>(
      `select item from shortvideo_items where task_id = $taskId
       order by sort_key, position limit $limit offset $offset`,
    )
    .all({ taskId, offset, limit })
    .map(({ item }) => item)
}
