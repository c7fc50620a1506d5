// Pages of lists that go by ids, newest first: the cursor is the last id of the page before.

import { isId } from '../lib/id.ts'
import { Problem } from '../lib/problem.ts'
import { t } from '../lib/schema.ts'

const PAGE_MAX = 100
const PAGE_DEFAULT = 25

export const PageQuery = t.Object({
  limit: t.Optional(t.Integer({ minimum: 1, maximum: PAGE_MAX })),
  cursor: t.Optional(t.String({ maxLength: 64 })),
})

export interface Page<Item> {
  readonly items: Item[]
  readonly next_cursor: string | null
}

/**
 * `list` gives up to `limit` rows behind `before`; it is asked for one more than is shown, which tells whether there is a
 * further page. Throws Problem `invalid_cursor`.
 */
export function pageOf<Row extends { readonly id: string }, Item>(
  { limit = PAGE_DEFAULT, cursor }: { readonly limit?: number; readonly cursor?: string },
  list: (range: { readonly limit: number; readonly before: string | undefined }) => readonly Row[],
  itemOf: (row: Row) => Item,
): Page<Item> {
  if (cursor !== undefined && !isId(cursor)) {
    throw new Problem(
      'invalid_cursor',
      'The cursor is not one of this list. Use next_cursor as it was answered, or none for the first page.',
    )
  }
  const found = list({ limit: limit + 1, before: cursor })
  const shown = found.slice(0, limit)
  return { items: shown.map(itemOf), next_cursor: found.length > limit ? (shown.at(-1)?.id ?? null) : null }
}
