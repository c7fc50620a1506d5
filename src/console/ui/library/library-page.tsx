// The library: bring something in, see what is there and how it is doing.

import { useSignalEffect } from '@preact/signals'
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { FilePage } from '../api-types.ts'
import { get } from '../api.ts'
import { Button } from '../components/button.tsx'
import { Select } from '../components/field.tsx'
import { Page } from '../components/page.tsx'
import { Empty, Shown } from '../components/states.tsx'
import { useData, useLive } from '../data.ts'
import { plural } from '../format.ts'
import { navigate, place } from '../router.ts'
import { may } from '../session-state.ts'
import { FileRow } from './file-row.tsx'
import { type NamespaceRecord, NamespacesDialog } from './namespaces.tsx'
import { UploadArea, UploadList } from './upload-area.tsx'
import { arrivedCount } from './uploads.ts'
import { UrlForm } from './url-form.tsx'

const PAGE = 50

const STATES = [
  { value: '', label: 'Any state' },
  { value: 'processing', label: 'In work' },
  { value: 'completed', label: 'Done' },
  { value: 'failed', label: 'Failed' },
  { value: 'cancelled', label: 'Cancelled' },
]

export function LibraryPage(): JSX.Element {
  const namespaces = useData('namespaces', (signal) => get<NamespaceRecord[]>('/v1/namespaces', signal))
  const [isManaging, setManaging] = useState(false)
  const namespaceId = place.value.query.get('namespace') ?? ''
  const state = place.value.query.get('state') ?? ''
  const known = namespaces.data ?? []
  return (
    <Page title="Library">
      {may('files:write') && <UploadArea namespaceIds={namespaceId === '' ? [] : [namespaceId]} />}
      {may('transcribe') && <UrlForm />}
      <UploadList />
      <section class="stack" aria-labelledby="files-title">
        <div class="row spread filters">
          <h2 id="files-title">Files</h2>
          <div class="row">
            <Select
              label="Namespace"
              isLabelHidden
              value={namespaceId}
              onInput={(value) => filter({ namespace: value, state })}
              options={[
                { value: '', label: 'All namespaces' },
                ...known.map(({ id, name }) => ({ value: id, label: name })),
              ]}
            />
            <Select
              label="State"
              isLabelHidden
              value={state}
              onInput={(value) => filter({ namespace: namespaceId, state: value })}
              options={STATES}
            />
            {may('files:write') && (
              <Button kind="quiet" icon="folder" onPress={() => setManaging(true)}>
                Namespaces
              </Button>
            )}
          </div>
        </div>
        <Files key={`${namespaceId} ${state}`} namespaceId={namespaceId} state={state} />
      </section>
      {isManaging && (
        <NamespacesDialog known={known} onChange={namespaces.reload} onClose={() => setManaging(false)} />
      )}
    </Page>
  )
}

function filter(chosen: Readonly<Record<string, string>>): void {
  const given = Object.entries(chosen).filter(([, value]) => value !== '')
  const query = new URLSearchParams(given).toString()
  navigate(query === '' ? '/library' : `/library?${query}`, { replace: true })
}

interface FilesProps {
  readonly namespaceId: string
  readonly state: string
}

function Files({ namespaceId, state }: FilesProps): JSX.Element {
  const [offset, setOffset] = useState(0)
  const loaded = useData(`files ${namespaceId} ${state} ${offset}`, (signal) => {
    const query = new URLSearchParams({ limit: String(PAGE), offset: String(offset) })
    if (namespaceId !== '') query.set('namespace_id', namespaceId)
    if (state !== '') query.set('status', state)
    return get<FilePage>(`/v1/files?${query.toString()}`, signal)
  })
  const isBusy =
    loaded.data?.files.some(({ status }) => status === 'processing' || status === 'pending') ?? false
  useLive(loaded.reload, isBusy)
  useSignalEffect(() => {
    if (arrivedCount.value > 0) loaded.reload()
  })
  return (
    <Shown of={loaded} what="Looking for files">
      {({ files, total_count, has_more }) =>
        files.length === 0 ? (
          <NoFiles isFiltered={namespaceId !== '' || state !== ''} />
        ) : (
          <>
            <ul class="file-list">
              {files.map((file) => (
                <FileRow key={file.id} file={file} onChange={loaded.reload} />
              ))}
            </ul>
            <nav class="row spread" aria-label="Pages of files">
              <span class="soft small">
                {offset === 0 && !has_more
                  ? plural(total_count, 'file')
                  : `${offset + 1}–${offset + files.length} of ${plural(total_count, 'file')}`}
              </span>
              {(offset > 0 || has_more) && (
                <div class="row">
                  <Button disabled={offset === 0} onPress={() => setOffset(Math.max(0, offset - PAGE))}>
                    Newer
                  </Button>
                  <Button disabled={!has_more} onPress={() => setOffset(offset + PAGE)}>
                    Older
                  </Button>
                </div>
              )}
            </nav>
          </>
        )
      }
    </Shown>
  )
}

function NoFiles({ isFiltered }: { readonly isFiltered: boolean }): JSX.Element {
  return isFiltered ? (
    <Empty icon="library" title="No file fits">
      <p>
        Nothing is in this namespace and state. <a href="/library">Show all files</a>.
      </p>
    </Empty>
  ) : (
    <Empty icon="library" title="Nothing here yet">
      <p>
        Drop a recording onto this page, or paste the address of a video. Its words appear while it is being
        listened to; afterwards you can search them, ask about them and take them with you.
      </p>
    </Empty>
  )
}
