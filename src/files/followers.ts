// What follows the transcription of a file, as data: plans of jobs that this folder need not know.

import type { Lane } from '../jobs/job.ts'
import { t } from '../lib/schema.ts'

/** As jobs keep the plans in their arguments. */
export const FollowersSchema = t.Array(
  t.Object({ kind: t.String(), lane: t.Unsafe<Lane>(t.String()), attempts: t.Integer({ minimum: 1 }) }),
)
