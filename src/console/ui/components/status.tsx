// The state of a file or a task, in a word and a colour.

import type { JSX } from 'preact'

export type StatusName = 'pending' | 'processing' | 'completed' | 'failed' | 'cancelled'

const WORDS: Readonly<Record<StatusName, string>> = {
  pending: 'Uploading',
  processing: 'In work',
  completed: 'Done',
  failed: 'Failed',
  cancelled: 'Cancelled',
}

export function Status({ status }: { readonly status: StatusName }): JSX.Element {
  return <span class={`status ${status}`}>{WORDS[status]}</span>
}
