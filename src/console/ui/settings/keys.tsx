// API keys of the account: made, rotated and revoked here. A new one is shown once.

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { KeyData, NewKeyData } from '../../key-routes.ts'
import { get, path, send } from '../api.ts'
import { Button } from '../components/button.tsx'
import { Confirm, Dialog } from '../components/dialog.tsx'
import { Select } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Empty, Shown } from '../components/states.tsx'
import { toast } from '../components/toasts.tsx'
import { useData } from '../data.ts'
import { ago, dateTime, plural } from '../format.ts'
import { loadSession } from '../session.ts'
import { Card } from './card.tsx'
import { NewKey } from './new-key.tsx'
import { Secret } from './secret.tsx'

type Doing = { readonly what: 'create' } | { readonly what: 'rotate' | 'revoke'; readonly key: KeyData }

export function KeySettings(): JSX.Element {
  const loaded = useData('keys', (signal) => get<readonly KeyData[]>('/console/api/keys', signal))
  const [doing, setDoing] = useState<Doing>()
  const close = (): void => {
    setDoing(undefined)
    loaded.reload()
  }
  const create = (
    <Button kind="primary" icon="plus" onPress={() => setDoing({ what: 'create' })}>
      New key
    </Button>
  )
  return (
    <>
      <Shown of={loaded} what="Looking for keys">
        {(keys) => {
          const ended = keys.filter(({ state }) => state !== 'active')
          const active = keys.filter(({ state }) => state === 'active')
          return (
            <Card title="Keys in use" actions={active.length > 0 && create}>
              {active.length === 0 && (
                <Empty icon="link" title="No keys yet">
                  <p>Programs send a key with each request, in the header X-API-Key.</p>
                  {create}
                </Empty>
              )}
              <KeyList keys={active} onDo={setDoing} />
              {ended.length > 0 && (
                <details>
                  <summary>{plural(ended.length, 'key')} that ended</summary>
                  <KeyList keys={ended} />
                </details>
              )}
            </Card>
          )
        }}
      </Shown>
      {doing?.what === 'create' && <NewKey onClose={close} />}
      {doing?.what === 'rotate' && <Rotate of={doing.key} onClose={close} />}
      {doing?.what === 'revoke' && <Revoke of={doing.key} onClose={close} />}
    </>
  )
}

function KeyList({
  keys,
  onDo,
}: {
  readonly keys: readonly KeyData[]
  readonly onDo?: (doing: Doing) => void
}): JSX.Element {
  return (
    <ul class="settings-list">
      {keys.map((key) => (
        <li key={key.id}>
          <div class="settings-item">
            <h3>
              {nameOf(key)} <code>…{key.hint}</code>
            </h3>
            <p class="soft small">
              {key.permissions === 'all' ? 'May do everything' : `May ${key.permissions.join(', ')}`}
            </p>
            <p class="soft small">{historyOf(key)}</p>
            {key.is_current && <p class="small">You are signed in with this key.</p>}
          </div>
          {onDo && (
            <div class="row">
              <Button
                icon="retry"
                label={`Rotate ${nameOf(key)}`}
                onPress={() => onDo({ what: 'rotate', key })}
              >
                Rotate
              </Button>
              <Button
                kind="danger"
                label={`Revoke ${nameOf(key)}`}
                onPress={() => onDo({ what: 'revoke', key })}
              >
                Revoke
              </Button>
            </div>
          )}
        </li>
      ))}
    </ul>
  )
}

const nameOf = ({ name }: KeyData): string => (name === '' ? 'Unnamed key' : name)

function historyOf(key: KeyData): string {
  const parts = [
    `Made ${ago(key.created_at)}`,
    key.last_used_at === null ? 'never used' : `last used ${ago(key.last_used_at)}`,
  ]
  if (key.revoked_at !== null) parts.push(`revoked ${ago(key.revoked_at)}`)
  else if (key.expires_at !== null) {
    parts.push(key.state === 'expired' ? `ended ${ago(key.expires_at)}` : `ends ${dateTime(key.expires_at)}`)
  }
  return `${parts.join(', ')}.`
}

const GRACES = [
  { value: '0', label: 'Not at all: it ends at once' },
  { value: '3600', label: 'One hour' },
  { value: '86400', label: 'One day' },
  { value: '604800', label: 'One week' },
] as const

function Rotate({ of: key, onClose }: { readonly of: KeyData; readonly onClose: () => void }): JSX.Element {
  const [grace, setGrace] = useState('86400')
  const [made, setMade] = useState<NewKeyData>()
  const rotate = async (): Promise<void> => {
    const address = path('/console/api/keys/', key.id, '/rotate')
    setMade(await send<NewKeyData>('POST', address, { grace_s: Number(grace) }))
  }
  return (
    <Dialog title={made ? 'The new key' : `Rotate ${nameOf(key)}`} onClose={onClose}>
      {made ? (
        <Secret name="API key" text={made.key} onDone={onClose} />
      ) : (
        <Form action="Make the new key" onSubmit={rotate}>
          <p>
            A new key with the same name and permissions takes the place of <code>…{key.hint}</code>.
          </p>
          <Select
            label="How long the old key still works"
            value={grace}
            onInput={setGrace}
            options={GRACES}
            hint="Time to put the new one in place."
          />
        </Form>
      )}
    </Dialog>
  )
}

function Revoke({ of: key, onClose }: { readonly of: KeyData; readonly onClose: () => void }): JSX.Element {
  const revoke = async (): Promise<void> => {
    await send('POST', path('/console/api/keys/', key.id, '/revoke'))
    toast(`${nameOf(key)} is revoked.`)
    // The one this session was signed in with takes the session with it.
    if (key.is_current) await loadSession()
  }
  return (
    <Confirm
      title={`Revoke ${nameOf(key)}?`}
      action="Revoke"
      isDangerous
      onConfirm={revoke}
      onClose={onClose}
    >
      <p>
        Programs that use <code>…{key.hint}</code> are refused from now on. What they have begun goes on.
        {key.is_current && ' You are signed in with this key and will be signed out.'}
      </p>
    </Confirm>
  )
}
