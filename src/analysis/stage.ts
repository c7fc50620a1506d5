// The last stage of every analysis task: which transcript it is about, and how its job works on it.

import type { App } from '../app.ts'
import type { JobContext } from '../jobs/job.ts'
import type { Task } from '../jobs/tasks.ts'
import { Problem } from '../lib/problem.ts'
import { type Parsed, parser, t } from '../lib/schema.ts'
import { findTranscript, listSegments, type Segment, type Transcript } from '../transcripts/transcripts.ts'
import type { Work } from './engine.ts'

/** `transcripts` come from the stages before; a task about a file names its transcript in its request. */
export const analysisArgs = parser(
  t.Object({
    taskId: t.String(),
    transcripts: t.Optional(t.Array(t.Object({ transcriptId: t.Optional(t.String()) }))),
  }),
)
export type AnalysisArgs = Parsed<typeof analysisArgs>

/** Where the stages before leave the progress. */
const BEFORE_PROGRESS = 0.8

export interface Material {
  readonly transcript: Transcript
  readonly segments: readonly Segment[]
}

/** Throws `transcript_not_available` when it was deleted meanwhile. */
export function getMaterial(app: Pick<App, 'db'>, task: Task, args: AnalysisArgs): Material {
  const named = task.request['transcript_id']
  const id = args.transcripts?.[0]?.transcriptId ?? (typeof named === 'string' ? named : '')
  const transcript = findTranscript(app, id)
  if (transcript) return { transcript, segments: listSegments(app, id) }
  throw new Problem('transcript_not_available', 'The transcript was deleted before it could be analysed.')
}

/** `from`..`to`: which share of the job's own progress this work is. */
export function jobWork(context: JobContext<unknown>, [from, to]: readonly [number, number] = [0, 1]): Work {
  return {
    signal: context.signal,
    async step(name, work) {
      const result = await context.step(name, work)
      // A job that gets on may be interrupted any number of times.
      context.saveCheckpoint({ step: name })
      return result
    },
    report(share) {
      context.report(BEFORE_PROGRESS + (1 - BEFORE_PROGRESS) * (from + (to - from) * share))
    },
  }
}
