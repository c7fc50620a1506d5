// A long recording through the real server: what memory it takes compared with a minute, and what a kill in the middle
// does to the transcript.

import { Database } from 'bun:sqlite'
import { join } from 'node:path'
import { type AnswerSegment, type EndToEnd, faultsOf, startEndToEnd } from './e2e.ts'
import { ffmpeg } from './make-media.ts'
import { memoryOf, processesOf, type RunningProcess } from './processes.ts'
import { readSamples } from './samples.ts'
import { joinAudio } from './speech-site.ts'

export interface LongRun {
  readonly mediaS: number
  readonly wallS: number
  readonly segments: number
  /** Peaks of the proportional set sizes of server and children, summed. */
  readonly minutePeakBytes: number
  readonly longPeakBytes: number
  /** Share of the work that was done when the server was killed. */
  readonly killedAt: number
  readonly interruptedWallS: number
  /** The transcript after the kill is the uninterrupted one, segment by segment. */
  readonly identical: boolean
  /** Rows of the finished transcript after the kill. */
  readonly storedSegments: number
  /** Of order, overlap or length. */
  readonly faults: readonly string[]
}

export interface LongRunOptions {
  readonly mediaS: number
  readonly deadlineMs: number
  readonly binary?: string | undefined
  readonly log?: (line: string) => void
}

export async function runLong(options: LongRunOptions): Promise<LongRun> {
  const { mediaS, log = () => undefined } = options
  const run = await startEndToEnd({}, { binary: options.binary })
  try {
    makeRecordings(run, mediaS)
    log('one minute')
    const minute = await measured(run, 'minute.mp3', options.deadlineMs)
    // A new process: nothing that the first recording left in memory helps or hurts.
    await restart(run, 'SIGTERM')
    log('the long one')
    const long = await measured(run, 'long.mp3', options.deadlineMs)
    const grownMib = (long.peakBytes - minute.peakBytes) / 1_048_576
    log(
      `took ${long.wallS.toFixed(0)} s, grew by ${grownMib.toFixed(0)} MiB; once more, with a kill in the middle`,
    )
    const interrupted = await killedInTheMiddle(run, options.deadlineMs)
    return {
      mediaS,
      wallS: long.wallS,
      segments: long.segments.length,
      minutePeakBytes: minute.peakBytes,
      longPeakBytes: long.peakBytes,
      killedAt: interrupted.killedAt,
      interruptedWallS: interrupted.wallS,
      identical: JSON.stringify(interrupted.segments) === JSON.stringify(long.segments),
      storedSegments: storedSegments(run, run.site.url('/killed.mp3')),
      faults: faultsOf(long.segments, mediaS + 1),
    }
  } finally {
    await run.close()
  }
}

/** Speech of all sample voices with pauses of 2 to 40 s between them, over and over. */
function makeRecordings({ site }: EndToEnd, mediaS: number): void {
  const parts = readSamples('sample-').flatMap(({ wavPath }, index) => [
    { file: wavPath },
    { silenceS: [2, 40, 7, 20, 4, 12][index] ?? 5 },
  ])
  joinAudio(site.file('loop.wav'), parts)
  const compressed = ['-c:a', 'libmp3lame', '-b:a', '32k']
  const looped = (seconds: number, name: string): void =>
    ffmpeg(
      '-stream_loop',
      '-1',
      '-i',
      site.file('loop.wav'),
      '-t',
      String(seconds),
      ...compressed,
      site.file(name),
    )
  looped(60, 'minute.mp3')
  looped(mediaS, 'long.mp3')
  ffmpeg('-i', site.file('long.mp3'), '-c', 'copy', site.file('killed.mp3'))
}

async function restart(run: EndToEnd, signal: NodeJS.Signals): Promise<void> {
  await run.server.kill(signal)
  run.server = await run.server.restart()
}

/** The sentence encoder of the search index comes up to a minute later, and is as large for a word as for a book. */
function transcribes({ commandLine }: RunningProcess): boolean {
  return !commandLine.includes('engine text')
}

interface Measured {
  readonly wallS: number
  readonly peakBytes: number
  readonly segments: readonly AnswerSegment[]
}

async function measured(run: EndToEnd, name: string, deadlineMs: number): Promise<Measured> {
  const home = run.server.env['HOME'] ?? ''
  let peakBytes = 0
  const sample = (): void => {
    peakBytes = Math.max(peakBytes, memoryOf(processesOf(home).filter(transcribes)))
  }
  const sampler = setInterval(sample, 100)
  try {
    const startedAt = performance.now()
    const task = await run.ended(await run.submit(run.site.url(`/${name}`)), deadlineMs)
    const wallS = (performance.now() - startedAt) / 1_000
    // What engines allocate they keep: however short the recording, what its last window took is seen here.
    sample()
    return { wallS, peakBytes, segments: segmentsOf(task) }
  } finally {
    clearInterval(sampler)
  }
}

async function killedInTheMiddle(
  run: EndToEnd,
  deadlineMs: number,
): Promise<Omit<Measured, 'peakBytes'> & { killedAt: number }> {
  const startedAt = performance.now()
  const taskId = await run.submit(run.site.url('/killed.mp3'))
  let killedAt = 0
  while (killedAt < 0.5) {
    await Bun.sleep(100)
    const { body } = await run.server.request('GET', `/v1/transcribe/${taskId}`, { key: run.key })
    if (body.data.task_status !== 'processing') throw new Error('it ended before it could be killed')
    killedAt = Number(body.data.progress)
  }
  await restart(run, 'SIGKILL')
  const task = await run.ended(taskId, deadlineMs)
  return { killedAt, wallS: (performance.now() - startedAt) / 1_000, segments: segmentsOf(task) }
}

function segmentsOf(task: {
  readonly result: { readonly transcript: AnswerSegment[] } | null
  readonly error: unknown
}): readonly AnswerSegment[] {
  if (!task.result) throw new Error(`it failed: ${JSON.stringify(task.error)}`)
  return task.result.transcript
}

function storedSegments(run: EndToEnd, url: string): number {
  using db = new Database(join(run.server.dataDir, 'earshot.db'), { readonly: true })
  const row = db
    .query<{ n: number }, [string]>(
      `select count(*) as n from transcript_segments join transcripts on transcripts.id = transcript_id
       where complete = 1 and json_extract(video_info, '$.url') = ?`,
    )
    .get(url)
  return row?.n ?? 0
}
