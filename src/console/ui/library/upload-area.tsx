// Where files are dropped or chosen, and how far each has come.

import type { JSX } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Button } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { Progress } from '../components/states.tsx'
import { bytes } from '../format.ts'
import { addUploads, clearDone, type UploadItem, uploads, type UploadState } from './uploads.ts'

/** What the server takes, by name; what a file really is, it decides by content. */
const ACCEPTED = 'audio/*,video/*,.mkv,.flv,.wmv,.avi,.m4a,.mpga'

export function UploadArea({ namespaceIds }: { readonly namespaceIds: readonly string[] }): JSX.Element {
  const input = useRef<HTMLInputElement>(null)
  const isOver = useFilesDropped((files) => addUploads(files, namespaceIds))
  return (
    <section class={`drop-zone ${isOver ? 'is-over' : ''}`} aria-label="Upload">
      <Icon name="upload" size={28} />
      <div class="drop-zone-text">
        <p>
          <strong>Drop audio or video here</strong>, anywhere on the page
        </p>
        <p class="soft small">mp4, webm, mov, avi, wmv, flv, mkv · m4a, mp3, mpeg, mpga, wav</p>
      </div>
      <input
        ref={input}
        class="visually-hidden"
        type="file"
        multiple
        accept={ACCEPTED}
        tabIndex={-1}
        aria-label="Files to upload"
        onChange={(event) => {
          addUploads(event.currentTarget.files ?? [], namespaceIds)
          event.currentTarget.value = ''
        }}
      />
      <Button kind="primary" icon="plus" onPress={() => input.current?.click()}>
        Choose files
      </Button>
    </section>
  )
}

/** The whole page takes them: a near miss would otherwise open the file in place of the console. */
function useFilesDropped(take: (files: FileList) => void): boolean {
  const [isOver, setOver] = useState(false)
  const latest = useRef(take)
  latest.current = take
  useEffect(() => {
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(true)
    }
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setOver(false)
    }
    const drop = (event: DragEvent): void => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setOver(false)
      if (event.dataTransfer) latest.current(event.dataTransfer.files)
    }
    addEventListener('dragover', over)
    addEventListener('dragleave', leave)
    addEventListener('drop', drop)
    return () => {
      removeEventListener('dragover', over)
      removeEventListener('dragleave', leave)
      removeEventListener('drop', drop)
    }
  }, [])
  return isOver
}

export function UploadList(): JSX.Element | null {
  const items = uploads.value
  if (items.length === 0) return null
  const doneCount = items.filter(({ state }) => state.value === 'done').length
  return (
    <section class="card" aria-labelledby="uploads-title">
      <div class="row spread">
        <h2 id="uploads-title">
          Uploads <span class="soft small">{`${doneCount} of ${items.length} done`}</span>
        </h2>
        {doneCount > 0 && (
          <Button kind="quiet" onPress={clearDone}>
            Clear done
          </Button>
        )}
      </div>
      <ul class="upload-list">
        {items.map((item) => (
          <UploadLine key={item.id} item={item} />
        ))}
      </ul>
    </section>
  )
}

const WORDS: Readonly<Record<UploadState, string>> = {
  waiting: 'Waiting',
  sending: 'Uploading',
  interrupted: 'Interrupted',
  paused: 'Paused',
  failed: 'Failed',
  done: 'Uploaded',
}

function UploadLine({ item }: { readonly item: UploadItem }): JSX.Element {
  const state = item.state.value
  const sent = item.sentBytes.value
  const share = item.sizeBytes === 0 ? 1 : sent / item.sizeBytes
  const isMoving = state === 'sending' || state === 'interrupted' || state === 'waiting'
  return (
    <li class="upload" data-state={state}>
      <div class="upload-name">
        <span class="ellipsis" title={item.name}>
          {item.name}
        </span>
        <span class="soft small number">
          {state === 'done' ? bytes(item.sizeBytes) : `${bytes(sent)} of ${bytes(item.sizeBytes)}`} ·{' '}
          {WORDS[state]}
        </span>
      </div>
      <div class="row">
        {isMoving && (
          <Button kind="quiet" onPress={item.pause}>
            Pause<span class="visually-hidden"> {item.name}</span>
          </Button>
        )}
        {(state === 'paused' || state === 'failed') && (
          <Button kind="quiet" onPress={item.resume}>
            {state === 'paused' ? 'Resume' : 'Try again'}
            <span class="visually-hidden"> {item.name}</span>
          </Button>
        )}
        <Button
          kind="quiet"
          icon="close"
          label={state === 'done' ? `Take ${item.name} out of the list` : `Cancel the upload of ${item.name}`}
          onPress={item.discard}
        />
      </div>
      {state !== 'done' && <Progress value={share} label={`Upload of ${item.name}`} />}
      {item.message.value !== '' && (
        <p class={state === 'failed' ? 'field-error' : 'hint'} role="status">
          {item.message.value}
        </p>
      )}
    </li>
  )
}
