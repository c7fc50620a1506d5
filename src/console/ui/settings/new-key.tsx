// The dialog that makes a key: what it is for, what it may do and when it ends; then the key itself, once.

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { NewKeyData } from '../../key-routes.ts'
import { send } from '../api.ts'
import { Dialog } from '../components/dialog.tsx'
import { Checkbox, Field, Select } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { currentSession } from '../session-state.ts'
import { Secret } from './secret.tsx'

const DAY_MS = 86_400_000

const LIVES = [
  { value: '', label: 'Never' },
  { value: '30', label: 'In 30 days' },
  { value: '90', label: 'In 90 days' },
  { value: '365', label: 'In a year' },
] as const

/** What each permission lets a program do. New ones are shown by their name. */
const SAID: Readonly<Record<string, string>> = {
  transcribe: 'Transcribe online videos',
  extract: 'Extract data from videos and files',
  statement: 'Take statements from posts',
  shortvideo: 'Read short-video profiles and searches',
  analyze: 'Summarise and ask',
  search: 'Search',
  'files:read': 'Read files',
  'files:write': 'Upload, change and delete files',
  usage: 'See usage',
}

export function NewKey({ onClose }: { readonly onClose: () => void }): JSX.Element {
  const [made, setMade] = useState<NewKeyData>()
  return (
    <Dialog title={made ? 'The new key' : 'New key'} onClose={onClose}>
      {made ? (
        <Secret name="API key" text={made.key} onDone={onClose}>
          <p class="small">
            Try it:{' '}
            <code>
              curl -H "X-API-Key: {made.key}" {location.origin}/v1/usage
            </code>
          </p>
        </Secret>
      ) : (
        <KeyForm onMade={setMade} />
      )}
    </Dialog>
  )
}

function KeyForm({ onMade }: { readonly onMade: (made: NewKeyData) => void }): JSX.Element {
  const known = currentSession().permissions.filter((name) => name !== 'all')
  const [name, setName] = useState('')
  const [days, setDays] = useState('')
  const [isAll, setAll] = useState(true)
  const [chosen, setChosen] = useState<readonly string[]>([])
  const create = async (): Promise<void> => {
    const expires =
      days === '' ? {} : { expires_at: new Date(Date.now() + Number(days) * DAY_MS).toISOString() }
    const permissions = isAll ? 'all' : chosen
    onMade(await send<NewKeyData>('POST', '/console/api/keys', { name, permissions, ...expires }))
  }
  const choose = (permission: string, isChosen: boolean): void =>
    setChosen(isChosen ? [...chosen, permission] : chosen.filter((other) => other !== permission))
  return (
    <Form action="Make the key" isReady={isAll || chosen.length > 0} onSubmit={create}>
      <Field
        label="What it is for"
        value={name}
        onInput={setName}
        maxLength={100}
        placeholder="Nightly import"
        hint="To tell keys apart later."
      />
      <fieldset class="choices">
        <legend>What it may do</legend>
        <Checkbox label="Everything" checked={isAll} onInput={setAll} />
        {!isAll &&
          known.map((permission) => (
            <Checkbox
              key={permission}
              label={SAID[permission] ?? permission}
              checked={chosen.includes(permission)}
              onInput={(isChosen) => choose(permission, isChosen)}
            />
          ))}
      </fieldset>
      <Select label="When it ends" value={days} onInput={setDays} options={LIVES} />
    </Form>
  )
}
