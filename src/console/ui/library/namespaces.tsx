// Namespaces: groups of files. All of them in one dialog; and those of one file.

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { MediaFile } from '../api-types.ts'
import { get, path, send } from '../api.ts'
import { Button } from '../components/button.tsx'
import { Dialog } from '../components/dialog.tsx'
import { Checkbox, Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Notice, Shown } from '../components/states.tsx'
import { useData } from '../data.ts'

export interface NamespaceRecord {
  readonly id: string
  readonly name: string
}

/** Every file is in it; it can be neither renamed nor deleted. */
const DEFAULT = 'default'

export interface NamespacesDialogProps {
  readonly known: readonly NamespaceRecord[]
  readonly onChange: () => void
  readonly onClose: () => void
}

export function NamespacesDialog({ known, onChange, onClose }: NamespacesDialogProps): JSX.Element {
  const [name, setName] = useState('')
  const create = async (): Promise<void> => {
    await send('POST', '/v1/namespaces', { name: name.trim() })
    setName('')
    onChange()
  }
  return (
    <Dialog title="Namespaces" onClose={onClose}>
      <p class="soft">Groups of files, to filter the library and to search in parts of it.</p>
      <ul class="plain-list">
        {known
          .filter((namespace) => namespace.name !== DEFAULT)
          .map((namespace) => (
            <NamespaceLine key={namespace.id} namespace={namespace} onChange={onChange} />
          ))}
      </ul>
      <Form action="Create" class="url-form" isReady={name.trim() !== ''} onSubmit={create}>
        <Field label="New namespace" value={name} onInput={setName} maxLength={200} />
      </Form>
    </Dialog>
  )
}

interface NamespaceLineProps {
  readonly namespace: NamespaceRecord
  readonly onChange: () => void
}

function NamespaceLine({ namespace, onChange }: NamespaceLineProps): JSX.Element {
  const [mode, setMode] = useState<'shown' | 'renamed' | 'deleted'>('shown')
  const [name, setName] = useState(namespace.name)
  const address = path('/v1/namespaces/', namespace.id)
  const change = async (work: () => Promise<unknown>): Promise<void> => {
    await work()
    setMode('shown')
    onChange()
  }
  if (mode === 'renamed') {
    const rename = (): Promise<void> => change(() => send('PUT', address, { name: name.trim() }))
    return (
      <li>
        <Form action="Rename" class="url-form" isReady={name.trim() !== ''} onSubmit={rename}>
          <Field label={`New name of ${namespace.name}`} value={name} onInput={setName} maxLength={200} />
        </Form>
      </li>
    )
  }
  if (mode === 'deleted') {
    return (
      <li class="stack">
        <Notice kind="warning">
          Delete “{namespace.name}”? Its files stay in the library.
          <div class="row">
            <Button kind="danger" onPress={() => change(() => send('DELETE', address))}>
              Delete
            </Button>
            <Button onPress={() => setMode('shown')}>Keep</Button>
          </div>
        </Notice>
      </li>
    )
  }
  return (
    <li class="row spread">
      <a class="ellipsis" href={`/library?namespace=${encodeURIComponent(namespace.id)}`}>
        {namespace.name}
      </a>
      <span>
        <Button
          kind="quiet"
          icon="edit"
          label={`Rename ${namespace.name}`}
          onPress={() => setMode('renamed')}
        />
        <Button
          kind="quiet"
          icon="trash"
          label={`Delete ${namespace.name}`}
          onPress={() => setMode('deleted')}
        />
      </span>
    </li>
  )
}

export interface FileNamespacesProps {
  readonly file: MediaFile
  readonly onChange: () => void
  readonly onClose: () => void
}

/** In which namespaces a file is. */
export function FileNamespaces({ file, onChange, onClose }: FileNamespacesProps): JSX.Element {
  const all = useData('namespaces', (signal) => get<NamespaceRecord[]>('/v1/namespaces', signal))
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set(file.namespace_ids))
  const toggle = (id: string, isIn: boolean): void => {
    const next = new Set(chosen)
    if (isIn) next.add(id)
    else next.delete(id)
    setChosen(next)
  }
  const save = async (): Promise<void> => {
    await send('PUT', path('/v1/file/', file.id, '/namespaces'), { namespace_ids: [...chosen] })
    onChange()
    onClose()
  }
  return (
    <Dialog title="Namespaces of this file" onClose={onClose}>
      <Shown of={all}>
        {(namespaces) =>
          namespaces.length <= 1 ? (
            <p>
              There are none besides the default one. Make some in the <a href="/library">library</a>, under
              “Namespaces”.
            </p>
          ) : (
            <Form action="Save" onSubmit={save}>
              <div>
                {namespaces.map(({ id, name }) => (
                  <Checkbox
                    key={id}
                    label={name}
                    checked={chosen.has(id) || name === DEFAULT}
                    disabled={name === DEFAULT}
                    onInput={(isIn) => toggle(id, isIn)}
                  />
                ))}
              </div>
            </Form>
          )
        }
      </Shown>
    </Dialog>
  )
}
