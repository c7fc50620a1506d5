// What an examination of `earshot doctor` finds, and what such a part is.

import type { App } from '../app.ts'

export interface Finding {
  readonly verdict: 'ok' | 'warning' | 'failed'
  readonly message: string
}

export interface Part {
  readonly name: string
  /** Without it nothing works: a failure makes the exit code 1. Else it becomes a warning. */
  readonly required: boolean
  examine(app: App, signal: AbortSignal): Finding | Promise<Finding>
}

export const ok = (message: string): Finding => ({ verdict: 'ok', message })
export const warning = (message: string): Finding => ({ verdict: 'warning', message })
export const failed = (message: string): Finding => ({ verdict: 'failed', message })
