// Cursors of paged answers: an absolute offset that only this server can have written, for one list of one account.
// Because it is absolute, `limit` may change between pages and nothing is skipped or repeated.

import { timingSafeEqual } from 'node:crypto'
import { Problem } from '../lib/problem.ts'
import { codeOf, type SigningContext } from '../net/signed-url.ts'

const OFFSET_BYTES = 6
const CODE_BYTES = 16

/** `list` names what is paged, such as account and task: a cursor of one list is invalid for every other. */
export function encodeCursor(context: SigningContext, list: string, offset: number): string {
  const bytes = Buffer.alloc(OFFSET_BYTES)
  bytes.writeUIntBE(offset, 0, OFFSET_BYTES)
  return Buffer.concat([bytes, signature(context, list, offset)]).toString('base64url')
}

/** Throws Problem `invalid_cursor` for what `encodeCursor` did not make for this list. */
export function decodeCursor(context: SigningContext, list: string, cursor: string): number {
  const bytes = Buffer.from(cursor, 'base64url')
  // Decoding is lenient: another spelling of the same bytes is not what we wrote.
  if (bytes.length !== OFFSET_BYTES + CODE_BYTES || bytes.toString('base64url') !== cursor) throw invalid()
  const offset = bytes.readUIntBE(0, OFFSET_BYTES)
  if (!timingSafeEqual(bytes.subarray(OFFSET_BYTES), signature(context, list, offset))) throw invalid()
  return offset
}

function signature(context: SigningContext, list: string, offset: number): Buffer {
  return codeOf(context, 'cursor', JSON.stringify([list, offset])).subarray(0, CODE_BYTES)
}

function invalid(): Problem {
  return new Problem(
    'invalid_cursor',
    'The cursor is not one of this list. Use next_cursor or prev_cursor as they were answered, or none for the first page.',
  )
}
