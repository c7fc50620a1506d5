// What asking for a post one way can end with.

import type { Problem } from '../lib/problem.ts'
import type { Post } from './post.ts'

export type Outcome =
  | { readonly post: Post; readonly isCut: boolean }
  /** The site says that there is none for visitors. */
  | { readonly absent: string }
  /** Nothing was learned; another way may do better. */
  | { readonly failed: Problem }

export interface Asked {
  readonly id: string
  readonly signal: AbortSignal
}
