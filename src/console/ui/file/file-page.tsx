// A file: listen, read along, find, ask, take away.

import type { JSX } from 'preact'
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { FileWithTranscript, MediaFile, Segment } from '../api-types.ts'
import { get, hasCode, path, send } from '../api.ts'
import { Button } from '../components/button.tsx'
import { Confirm } from '../components/dialog.tsx'
import { Page } from '../components/page.tsx'
import { Empty, Notice, Shown } from '../components/states.tsx'
import { Status } from '../components/status.tsx'
import { toast } from '../components/toasts.tsx'
import { useData, useLive } from '../data.ts'
import { bytes, clock, dateTime } from '../format.ts'
import { StateAction } from '../library/file-row.tsx'
import { FileNamespaces } from '../library/namespaces.tsx'
import { navigate, place } from '../router.ts'
import { may } from '../session-state.ts'
import type { Analysed } from './analysis.ts'
import { BeingRecognised } from './being-recognised.tsx'
import { ExportMenu, exportName } from './export-menu.tsx'
import { Insights } from './insights.tsx'
import { createPlayback } from './playback.ts'
import { Player } from './player.tsx'
import { ReadingLayout } from './reading-layout.tsx'
import { Transcript } from './transcript.tsx'

export function FilePage({ id }: { readonly id: string }): JSX.Element {
  const loaded = useData(`file ${id}`, (signal) => get<FileWithTranscript>(path('/v1/file/', id), signal))
  const file = loaded.data?.file_info
  const isBusy = file?.status === 'processing' || file?.status === 'pending'
  useLive(loaded.reload, isBusy, file?.status === 'completed')
  const isGone = hasCode(loaded.error, 'file_not_found')
  return (
    <Page
      title={file?.name ?? 'File'}
      about={id}
      actions={file && <FileActions file={file} onChange={loaded.reload} />}
    >
      {isGone ? (
        <Empty icon="file" title="There is no such file">
          <p>
            It may have been deleted, or belong to another account. <a href="/library">To the library</a>.
          </p>
        </Empty>
      ) : (
        <Shown of={loaded} what="Fetching the file">
          {({ file_info, transcript }) => <FileView file={file_info} transcript={transcript} />}
        </Shown>
      )}
    </Page>
  )
}

interface FileProps {
  readonly file: MediaFile
  readonly onChange: () => void
}

function FileActions({ file, onChange }: FileProps): JSX.Element {
  const [open, setOpen] = useState<'namespaces' | 'delete'>()
  const close = (): void => setOpen(undefined)
  const remove = async (): Promise<void> => {
    await send('DELETE', path('/v1/file/', file.id, '/delete'))
    toast('The file was deleted.')
    navigate('/library')
  }
  if (!may('files:write')) return <></>
  return (
    <>
      <StateAction file={file} onChange={onChange} />
      <Button icon="folder" onPress={() => setOpen('namespaces')}>
        Namespaces
      </Button>
      <Button kind="danger" icon="trash" onPress={() => setOpen('delete')}>
        Delete
      </Button>
      {open === 'namespaces' && <FileNamespaces file={file} onChange={onChange} onClose={close} />}
      {open === 'delete' && (
        <Confirm title="Delete this file?" action="Delete" isDangerous onConfirm={remove} onClose={close}>
          <p>
            “{file.name}” goes with its transcript and everything that was made of it. This cannot be undone.
          </p>
        </Confirm>
      )}
    </>
  )
}

function FileFacts({ file }: { readonly file: MediaFile }): JSX.Element {
  const namespaces = file.namespaces.map(({ name }) => name).filter((name) => name !== 'default')
  return (
    <p class="about-line soft small number">
      <Status status={file.status} />
      {file.duration !== undefined && <span>{clock(file.duration)}</span>}
      <span>{bytes(file.size)}</span>
      {file.type !== '' && <span class="extra">{file.type}</span>}
      <span>{dateTime(file.created_at)}</span>
      {file.selected_language !== undefined && <span class="extra">language: {file.selected_language}</span>}
      {file.speech_model !== undefined && <span class="extra">{file.speech_model}</span>}
      {namespaces.length > 0 && <span>{namespaces.join(', ')}</span>}
    </p>
  )
}

interface FileViewProps {
  readonly file: MediaFile
  readonly transcript: readonly Segment[] | undefined
}

function FileView({ file, transcript }: FileViewProps): JSX.Element {
  const playback = useMemo(createPlayback, [file.id])
  const what = useMemo<Analysed>(() => ({ path: '/v1/analyze/file', body: { file_id: file.id } }), [file.id])
  const asked = place.value.query.get('t')
  useEffect(() => {
    const seconds = Number(asked ?? Number.NaN)
    if (seconds >= 0) playback.seek(seconds)
  }, [asked, playback])
  if (file.status !== 'completed' || !transcript) {
    return (
      <>
        <FileFacts file={file} />
        <Unfinished file={file} />
      </>
    )
  }
  return (
    <>
      <FileFacts file={file} />
      <ReadingLayout
        player={<Player file={file} playback={playback} />}
        transcript={
          transcript.length === 0 ? (
            <Notice>
              Nobody speaks in this recording, as far as could be heard: the transcript is empty.
            </Notice>
          ) : (
            <Transcript
              segments={transcript}
              playback={playback}
              actions={<ExportMenu address={path('/v1/file/', file.id)} name={exportName(file.name)} />}
            />
          )
        }
        insights={
          may('analyze') && transcript.length > 0 ? (
            <Insights what={what} onJump={(seconds) => playback.seek(seconds, { play: true })} />
          ) : undefined
        }
      />
    </>
  )
}

function Unfinished({ file }: { readonly file: MediaFile }): JSX.Element {
  if (file.status === 'failed') {
    return (
      <Notice kind="error">
        <p>{file.error_message ?? 'The file could not be transcribed.'}</p>
        <p>Nothing was charged. “Retry” processes it again.</p>
      </Notice>
    )
  }
  if (file.status === 'cancelled')
    return <Notice>Its processing was cancelled. “Retry” processes it again.</Notice>
  if (file.status === 'pending') {
    return (
      <Notice>Not all of its bytes have arrived. Drop the same file onto the library again to go on.</Notice>
    )
  }
  return <BeingRecognised id={file.id} what={file.name} />
}
