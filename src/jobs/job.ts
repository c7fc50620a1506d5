// What a job is. `run` does the slow, repeatable work and returns a function that writes everything; the runner calls
// that function in the transaction that marks the job done, and only while the lease is still ours.

import type { App } from '../app.ts'
import type { Parser } from '../lib/schema.ts'
import type { Problem } from '../lib/problem.ts'

/**
 * `net`: waits for others, several wide. `lists`: waits for the pages of profiles and searches, with pauses in between.
 * `searches`: of videos, for which somebody waits. `compute`: keeps the cores busy, one wide. `analysis`: takes turns at the cores
 * by the compute gate, several wide, so that a question of seconds does not wait for hours of speech. `webhooks`:
 * deliveries.
 */
export type Lane = 'net' | 'lists' | 'searches' | 'compute' | 'analysis' | 'webhooks'

/** Writes the outcome, synchronously. Throwing rolls everything back and the job is tried again. */
export type Commit = () => void

export interface JobContext<Args> {
  readonly id: string
  readonly args: Args
  /** 1 for the first attempt. */
  readonly attempt: number
  /** Aborts on cancel, loss of the lease, time-out and shutdown. */
  readonly signal: AbortSignal
  /** Runs `work` once over all attempts of this job; later attempts get the saved result (plain JSON). */
  readonly step: <T>(name: string, work: () => Promise<T>) => Promise<T>
  /** What the last `saveCheckpoint` of any attempt stored; undefined at first. */
  readonly checkpoint: unknown
  /**
   * Stores `state` (plain JSON) and what `write` writes, in one transaction and only while the lease is held. It also
   * gives the job its full number of attempts back: a job that gets on may be interrupted any number of times.
   */
  readonly saveCheckpoint: (state: unknown, write?: () => void) => void
  /** 0..1 of the whole task, shown to whoever waits. Cheap: written at most once a second. */
  readonly report: (progress: number) => void
}

export interface Job<Args> {
  readonly kind: string
  readonly lane: Lane
  /** Attempts that may fail before the job does. Snoozes and shutdowns do not count. */
  readonly attempts: number
  /** Longest time one attempt may take. */
  readonly timeoutMs: number
  readonly args: Parser<Args>
  /**
   * Outcomes are values: a returned commit (or nothing) → done; a thrown `Snooze` → later, uncounted; a `Problem` that
   * is not temporary → failed now; anything else → tried again with back-off.
   */
  run(context: JobContext<Args>, app: App): Promise<Commit | undefined>
  /** Runs in the transaction that marks the job failed. */
  failed?(args: Args, problem: Problem, app: App): void
}

// oxlint-disable-next-line typescript/no-explicit-any -- a registry holds jobs of every argument type; the runner parses them.
export type AnyJob = Job<any>

export function defineJob<Args>(job: Job<Args>): Job<Args> {
  return job
}

/** Thrown by a job that cannot go on yet: run again after `delayMs`, without counting an attempt. */
export class Snooze extends Error {
  override readonly name = 'Snooze'
  readonly delayMs: number

  constructor(delayMs: number) {
    super(`Not before ${delayMs} ms from now`)
    this.delayMs = delayMs
  }
}
