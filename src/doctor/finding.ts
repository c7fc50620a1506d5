// What a doctor's examination finds, and what a part is that it examines.

import type { App } from '../app.ts'

export interface Finding {
  readonly verdict: 'ok' | 'warning' | 'failed'
  readonly message: string
}

export interface NamedFinding extends Finding {
  /** Of the part. */
  readonly name: string
}

/** `server`: others wait meanwhile, so nothing may hold up the main thread for seconds. */
export type Within = 'command' | 'server'

export interface Part {
  readonly name: string
  /** Without it nothing works: a failure makes the exit code 1. Else it becomes a warning. */
  readonly required: boolean
  examine(app: App, signal: AbortSignal, within: Within): Finding | Promise<Finding>
}

export const ok = (message: string): Finding => ({ verdict: 'ok', message })
export const warning = (message: string): Finding => ({ verdict: 'warning', message })
export const failed = (message: string): Finding => ({ verdict: 'failed', message })
