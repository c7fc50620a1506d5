// A transcript while it is being made: what has been understood so far, as it comes.

import type { JSX } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Segment } from '../api-types.ts'
import { Progress } from '../components/states.tsx'
import { plural } from '../format.ts'
import { followSegments, progressOf } from '../live.ts'
import { Transcript } from './transcript.tsx'

export interface BeingRecognisedProps {
  /** Of a task, or of a file. */
  readonly id: string
  readonly what: string
}

export function BeingRecognised({ id, what }: BeingRecognisedProps): JSX.Element {
  const [segments, setSegments] = useState<readonly Segment[]>([])
  useEffect(() => followSegments(id, setSegments), [id])
  const progress = progressOf(id).value
  return (
    <div class="stack">
      <div class="card">
        <p>
          {segments.length === 0 ? 'At work …' : `${plural(segments.length, 'sentence')} so far`}
          {progress !== undefined && <span class="soft number"> · {Math.round(progress * 100)} %</span>}
        </p>
        <Progress value={progress} label={`Transcription of ${what}`} />
      </div>
      {segments.length > 0 && <Transcript segments={segments} />}
    </div>
  )
}
