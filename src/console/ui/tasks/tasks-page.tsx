// Everything asked of the server that takes its time, as it is now: online tasks, and files that are at work or failed.

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { TaskData } from '../../task-routes.ts'
import type { FilePage, MediaFile } from '../api-types.ts'
import { get, path, send } from '../api.ts'
import { Button } from '../components/button.tsx'
import { Confirm } from '../components/dialog.tsx'
import { Page } from '../components/page.tsx'
import { Pager } from '../components/pager.tsx'
import { Empty, Progress, Shown } from '../components/states.tsx'
import { Status } from '../components/status.tsx'
import { useData, useLive } from '../data.ts'
import { ago, dateTime } from '../format.ts'
import { FileRow } from '../library/file-row.tsx'
import { progressOf } from '../live.ts'
import { may } from '../session-state.ts'
import { addressOf, labelOf, subjectOf } from './task-types.ts'

interface TaskPage {
  readonly items: readonly TaskData[]
  readonly next_cursor: string | null
}

interface Overview extends TaskPage {
  readonly files: readonly MediaFile[]
}

const FILES_MAX = 20

export function TasksPage(): JSX.Element {
  const [cursor, setCursor] = useState<string>()
  const loaded = useData(`tasks ${cursor ?? ''}`, (signal) => loadOverview(cursor, signal))
  const isBusy =
    loaded.data?.items.some(({ task_status }) => task_status === 'processing') === true ||
    loaded.data?.files.some(({ status }) => status === 'processing') === true
  useLive(loaded.reload, isBusy)
  return (
    <Page title="Tasks">
      <Shown of={loaded} what="Looking for tasks">
        {({ items, files, next_cursor }) => (
          <>
            {items.length + files.length === 0 && cursor === undefined && <NoTasks />}
            {files.length > 0 && cursor === undefined && (
              <section class="stack" aria-labelledby="task-files">
                <h2 id="task-files">Files at work, or failed</h2>
                <ul class="file-list">
                  {files.map((file) => (
                    <FileRow key={file.id} file={file} onChange={loaded.reload} />
                  ))}
                </ul>
              </section>
            )}
            {items.length > 0 && (
              <section class="stack" aria-labelledby="task-tasks">
                <h2 id="task-tasks">Online</h2>
                <ul class="file-list">
                  {items.map((task) => (
                    <TaskRow key={task.task_id} task={task} onChange={loaded.reload} />
                  ))}
                </ul>
                <p class="soft small">
                  Results of tasks are kept for about an hour. Transcripts are remembered longer.
                </p>
              </section>
            )}
            <Pager cursor={cursor} next={next_cursor} onTurn={setCursor} />
          </>
        )}
      </Shown>
    </Page>
  )
}

async function loadOverview(cursor: string | undefined, signal: AbortSignal): Promise<Overview> {
  const query = cursor === undefined ? '' : `?cursor=${encodeURIComponent(cursor)}`
  const filesOf = async (status: string): Promise<readonly MediaFile[]> => {
    if (!may('files:read')) return []
    return (await get<FilePage>(`/v1/files?limit=${FILES_MAX}&status=${status}`, signal)).files
  }
  const [page, atWork, failed] = await Promise.all([
    get<TaskPage>(`/console/api/tasks${query}`, signal),
    filesOf('processing'),
    filesOf('failed'),
  ])
  return { ...page, files: [...atWork, ...failed] }
}

function NoTasks(): JSX.Element {
  return (
    <Empty icon="tasks" title="Nothing is being worked on">
      <p>
        What you drop into the <a href="/library">library</a> or send to the API shows here while it is at
        work – and, if something goes wrong, why and what to do.
      </p>
    </Empty>
  )
}

interface TaskRowProps {
  readonly task: TaskData
  readonly onChange: () => void
}

function TaskRow({ task, onChange }: TaskRowProps): JSX.Element {
  const { task_id, task_status, job_type, created_at, error } = task
  const [isAsking, setAsking] = useState(false)
  const subject = subjectOf(task)
  const progress = progressOf(task_id).value ?? task.progress
  const stop = async (): Promise<void> => {
    await send('DELETE', path('/console/api/tasks/', task_id))
    onChange()
  }
  return (
    <li class="file-row task-row">
      <div class="file-main">
        <a class="file-name" href={addressOf(task)}>
          {subject === '' ? labelOf(job_type) : subject}
        </a>
        <p class="soft small">
          {labelOf(job_type)} ·{' '}
          <time dateTime={created_at} title={dateTime(created_at)}>
            {ago(created_at)}
          </time>
        </p>
        {task_status === 'processing' && (
          <Progress value={progress === 0 ? undefined : progress} label={`${labelOf(job_type)} ${subject}`} />
        )}
        {error && <p class="field-error">{error.message}</p>}
        {error?.advice && <p class="hint">{error.advice}</p>}
      </div>
      <div class="file-actions">
        {task_status === 'processing' && (
          <Button onPress={() => setAsking(true)}>
            Stop<span class="visually-hidden"> {subject}</span>
          </Button>
        )}
      </div>
      <Status status={task_status} />
      {isAsking && (
        <Confirm
          title="Stop this task?"
          action="Stop"
          isDangerous
          onConfirm={stop}
          onClose={() => setAsking(false)}
        >
          <p>What it has found so far is lost, and what it was charged is given back.</p>
        </Confirm>
      )}
    </li>
  )
}
