// One file of the list: what it is, how it is doing, and what can be done about that.

import type { JSX } from 'preact'
import type { MediaFile } from '../api-types.ts'
import { path, send } from '../api.ts'
import { Button } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { Progress } from '../components/states.tsx'
import { Status } from '../components/status.tsx'
import { ago, bytes, clock, dateTime } from '../format.ts'
import { progressOf } from '../live.ts'
import { may } from '../session-state.ts'
import { isUploading } from './uploads.ts'

export interface FileRowProps {
  readonly file: MediaFile
  readonly onChange: () => void
}

export function FileRow({ file, onChange }: FileRowProps): JSX.Element {
  const progress = progressOf(file.id).value
  return (
    <li class="file-row">
      <Icon name={file.type.startsWith('video/') ? 'play' : 'file'} size={20} />
      <div class="file-main">
        <a class="file-name" href={path('/files/', file.id)}>
          {file.name}
        </a>
        <p class="soft small number">
          {file.duration !== undefined && <span>{clock(file.duration)} · </span>}
          {bytes(file.size)} ·{' '}
          <time dateTime={file.created_at} title={dateTime(file.created_at)}>
            {ago(file.created_at)}
          </time>
          {namespacesOf(file)}
        </p>
        {file.status === 'failed' && (
          <p class="field-error">{file.error_message ?? 'It could not be transcribed.'}</p>
        )}
        {file.status === 'pending' && !isUploading(file.name) && (
          <p class="hint">Its bytes have not all arrived. Drop the same file again to go on.</p>
        )}
        {file.status === 'processing' && (
          <Progress value={progress} label={`Transcription of ${file.name}`} />
        )}
      </div>
      <div class="file-actions">{may('files:write') && <StateAction file={file} onChange={onChange} />}</div>
      <Status status={file.status} />
    </li>
  )
}

function namespacesOf({ namespaces }: MediaFile): string {
  const others = namespaces.filter(({ name }) => name !== 'default').map(({ name }) => name)
  return others.length === 0 ? '' : ` · ${others.join(', ')}`
}

/** Cancel while it is at work, retry when it did not work out. */
export function StateAction({ file, onChange }: FileRowProps): JSX.Element | null {
  const act = async (action: 'cancel' | 'retry'): Promise<void> => {
    await send('POST', path('/v1/file/', file.id, `/${action}`))
    onChange()
  }
  const name = <span class="visually-hidden"> {file.name}</span>
  if (file.status === 'processing' || file.status === 'pending') {
    return <Button onPress={() => act('cancel')}>Cancel{name}</Button>
  }
  if (file.status !== 'failed' && file.status !== 'cancelled') return null
  return (
    <Button icon="retry" onPress={() => act('retry')}>
      Retry{name}
    </Button>
  )
}
