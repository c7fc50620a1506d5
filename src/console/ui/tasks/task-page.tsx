// One task: how far it is, and what came out of it. Transcripts are read like those of files; other results as data.

import type { JSX } from 'preact'
import { useMemo } from 'preact/hooks'
import type { Segment, Transcription, VideoInfo } from '../api-types.ts'
import { get, hasCode } from '../api.ts'
import { CopyButton } from '../components/button.tsx'
import { Page } from '../components/page.tsx'
import { Empty, Notice, Shown } from '../components/states.tsx'
import { Status } from '../components/status.tsx'
import { WebLink } from '../components/web-link.tsx'
import { useData, useLive } from '../data.ts'
import { clock, dateTime } from '../format.ts'
import { BeingRecognised } from '../file/being-recognised.tsx'
import type { Analysed } from '../file/analysis.ts'
import { ExportMenu, exportName } from '../file/export-menu.tsx'
import { Insights } from '../file/insights.tsx'
import { ReadingLayout } from '../file/reading-layout.tsx'
import { Transcript } from '../file/transcript.tsx'
import { place } from '../router.ts'
import { may } from '../session-state.ts'
import { labelOf, pollOf, subjectOf } from './task-types.ts'

/** Of the polls of all kinds: what this page shows. */
interface Polled {
  readonly task_id: string
  readonly task_status: 'processing' | 'completed' | 'failed'
  readonly created_at: string
  readonly request?: Readonly<Record<string, unknown>>
  readonly result?: unknown
  readonly error?: { readonly message: string } | null
  readonly error_message?: string | null
}

export function TaskPage({ id }: { readonly id: string }): JSX.Element {
  const kind = place.value.query.get('kind') ?? 'transcribe'
  const poll = pollOf(kind)
  const loaded = useData(`task ${kind} ${id}`, (signal) => {
    if (poll === undefined) throw new Error('There is no such kind of task.')
    return get<Polled>(poll + encodeURIComponent(id), signal)
  })
  const state = loaded.data?.task_status
  useLive(loaded.reload, state === 'processing', state === 'completed' || state === 'failed')
  const isGone = hasCode(loaded.error, 'task_not_found')
  return (
    <Page title={titleOf(kind, loaded.data)} about={id}>
      {isGone && loaded.data === undefined ? (
        <Empty icon="tasks" title="This task is gone">
          <p>
            Tasks are kept for about an hour after their end. Ask for the same video again: its transcript is
            remembered and costs nothing. <a href="/library">To the library</a>.
          </p>
        </Empty>
      ) : (
        <Shown of={loaded} what="Fetching the task">
          {(task) => <TaskView kind={kind} task={task} />}
        </Shown>
      )}
    </Page>
  )
}

function titleOf(kind: string, task: Polled | undefined): string {
  const info = kind === 'transcribe' && task ? firstVideo(task)?.video_info : undefined
  return info?.title ?? labelOf(kind)
}

interface TaskViewProps {
  readonly kind: string
  readonly task: Polled
}

function TaskView({ kind, task }: TaskViewProps): JSX.Element {
  const subject = subjectOf({ request: { ...task.request, ...task } })
  return (
    <>
      <p class="about-line soft small">
        <Status status={task.task_status} />
        <WebLink href={subject}>{subject}</WebLink>
        <span>{dateTime(task.created_at)}</span>
      </p>
      {task.task_status === 'processing' && <BeingRecognised id={task.task_id} what={subject} />}
      {task.task_status === 'failed' && (
        <Notice kind="error">
          <p>{task.error?.message ?? task.error_message ?? 'The task failed.'}</p>
          <p>Nothing was charged.</p>
        </Notice>
      )}
      {task.task_status === 'completed' &&
        (kind === 'transcribe' ? <Transcribed task={task} subject={subject} /> : <Data task={task} />)}
    </>
  )
}

interface Video {
  readonly video_info: VideoInfo
  readonly transcript: readonly Segment[]
}

/** Of a carousel, the first that worked. */
function firstVideo({ result }: Polled): Video | undefined {
  const done = result as Transcription | null | undefined
  if (!done) return undefined
  const video = 'videos' in done ? done.videos.find(({ status }) => status === 'success') : done
  if (!video) return undefined
  const { transcript, video_info } = video
  const segments =
    typeof transcript === 'string' ? [{ text: transcript, start: 0, end: 0 }] : (transcript ?? [])
  return { video_info, transcript: segments }
}

function Transcribed({ task, subject }: { readonly task: Polled; readonly subject: string }): JSX.Element {
  const video = firstVideo(task)
  const what = useMemo<Analysed>(
    () => ({ path: '/v1/analyze/video', body: { video_url: subject } }),
    [subject],
  )
  if (!video || video.transcript.length === 0) {
    return <Notice>Nobody speaks in this video, as far as could be heard: the transcript is empty.</Notice>
  }
  const { video_info, transcript } = video
  return (
    <>
      <p class="about-line soft small number">
        {video_info.channel && <span>{video_info.channel}</span>}
        {typeof video_info.duration === 'number' && <span>{clock(video_info.duration)}</span>}
        {video_info.speech_model && <span>{video_info.speech_model}</span>}
      </p>
      <ReadingLayout
        transcript={
          <Transcript
            segments={transcript}
            actions={
              <ExportMenu
                address={`/v1/transcribe/${encodeURIComponent(task.task_id)}`}
                name={exportName(video_info.title ?? 'transcript')}
              />
            }
          />
        }
        insights={may('analyze') ? <Insights what={what} /> : undefined}
      />
    </>
  )
}

/** Results of other kinds, as the API gives them. */
function Data({ task }: { readonly task: Polled }): JSX.Element {
  const text = JSON.stringify(task.result ?? task, null, 2)
  return (
    <section class="card" aria-label="Result">
      <div class="row spread">
        <h2>Result</h2>
        <CopyButton text={text} />
      </div>
      {/* What scrolls must be reached by the keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre class="data" tabIndex={0} role="region" aria-label="Result as JSON">
        {text}
      </pre>
    </section>
  )
}
