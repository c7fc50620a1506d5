// Webhooks of the account: the default endpoint, whether it works, its signing secret, and what was sent.

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { DeliveryData, WebhookData } from '../../webhook-routes.ts'
import { get, send } from '../api.ts'
import { Button } from '../components/button.tsx'
import { Confirm, Dialog } from '../components/dialog.tsx'
import { Field } from '../components/field.tsx'
import { Form } from '../components/form.tsx'
import { Notice, Shown } from '../components/states.tsx'
import { toast } from '../components/toasts.tsx'
import { useData } from '../data.ts'
import { dateTime, plural } from '../format.ts'
import { Card } from './card.tsx'
import { Deliveries, outcomeOf } from './deliveries.tsx'
import { Secret } from './secret.tsx'

const PATH = '/console/api/webhooks'

export function WebhookSettings(): JSX.Element {
  const loaded = useData('webhooks', (signal) => get<WebhookData>(PATH, signal))
  const [secret, setSecret] = useState<string>()
  const [round, setRound] = useState(0)
  const show = (changed: WebhookData): void => {
    if (changed.secret !== null) setSecret(changed.secret)
    loaded.reload()
  }
  const test = async (): Promise<void> => {
    const delivery = await send<DeliveryData>('POST', `${PATH}/test`)
    const isDelivered = delivery.status === 'delivered'
    toast(
      `The test event ${isDelivered ? 'arrived' : 'did not arrive'}: ${outcomeOf(delivery)}`,
      isDelivered ? 'info' : 'error',
    )
    setRound((count) => count + 1)
  }
  return (
    <Shown of={loaded} what="Looking for webhooks">
      {(settings) => (
        <>
          {settings.notice !== null && (
            <div role="alert">
              <Notice kind="warning">
                <p>{settings.notice}</p>
                <div class="row">
                  <Button onPress={test}>Send a test</Button>
                  <Button
                    kind="primary"
                    onPress={async () => show(await send<WebhookData>('POST', `${PATH}/enable`))}
                  >
                    Switch it on again
                  </Button>
                </div>
              </Notice>
            </div>
          )}
          <Endpoint key={settings.url} settings={settings} onChange={show} onTest={test} />
          <SigningSecret settings={settings} onChange={show} />
          <Deliveries key={round} />
          {secret !== undefined && (
            <Dialog title="The signing secret" onClose={() => setSecret(undefined)}>
              <Secret name="signing secret" text={secret} onDone={() => setSecret(undefined)} />
            </Dialog>
          )}
        </>
      )}
    </Shown>
  )
}

interface EndpointProps {
  readonly settings: WebhookData
  readonly onChange: (changed: WebhookData) => void
}

function Endpoint({
  settings,
  onChange,
  onTest,
}: EndpointProps & { readonly onTest: () => Promise<void> }): JSX.Element {
  const [url, setUrl] = useState(settings.url ?? '')
  const [isRemoving, setRemoving] = useState(false)
  const save = async (): Promise<void> => {
    onChange(await send<WebhookData>('PUT', `${PATH}/default`, { url: url.trim() }))
    toast('Saved.')
  }
  const remove = async (): Promise<void> => onChange(await send<WebhookData>('DELETE', `${PATH}/default`))
  return (
    <Card
      title="Default endpoint"
      actions={
        settings.url !== null && (
          <>
            <Button onPress={onTest}>Send a test</Button>
            <Button kind="danger" onPress={() => setRemoving(true)}>
              Remove
            </Button>
          </>
        )
      }
    >
      <p class="soft">Finished jobs that name no address of their own are told to this one, signed.</p>
      <Form action="Save" isReady={url.trim() !== '' && url.trim() !== settings.url} onSubmit={save}>
        <Field
          label="Address"
          type="url"
          value={url}
          onInput={setUrl}
          maxLength={2_048}
          placeholder="https://example.com/hooks/earshot"
          isRequired
        />
      </Form>
      <p class="small">{stateOf(settings)}</p>
      {isRemoving && (
        <Confirm
          title="Remove the default endpoint?"
          action="Remove"
          isDangerous
          onConfirm={remove}
          onClose={() => setRemoving(false)}
        >
          <p>Jobs that name no address are told to nobody from now on. The signing secret stays.</p>
        </Confirm>
      )}
    </Card>
  )
}

function stateOf({ state, failures_in_row, first_failure_at, last_error }: WebhookData): string {
  if (state === 'none') return 'No endpoint is set: jobs are told to nobody unless they name an address.'
  if (state === 'disabled') return 'Switched off: nothing is sent to it.'
  if (failures_in_row === 0 || first_failure_at === null)
    return 'In order: nothing has failed since the last success.'
  const why = last_error === null ? '' : ` The last error was: ${last_error}`
  return `${plural(failures_in_row, 'delivery', 'deliveries')} in a row failed since ${dateTime(first_failure_at)}.${why}`
}

function SigningSecret({ settings, onChange }: EndpointProps): JSX.Element {
  const [isRotating, setRotating] = useState(false)
  const { secret_hint, previous_secret_until } = settings
  return (
    <Card
      title="Signing secret"
      actions={
        <Button icon="retry" onPress={() => setRotating(true)}>
          {secret_hint === null ? 'Make one' : 'Rotate'}
        </Button>
      }
    >
      <p>
        {secret_hint === null ? (
          'There is none yet. It comes with the first endpoint.'
        ) : (
          <>
            The secret in use ends in <code>…{secret_hint}</code>. Receivers check the header
            X-Service-Signature with it.
          </>
        )}
      </p>
      {previous_secret_until !== null && (
        <Notice>The former secret signs too until {dateTime(previous_secret_until)}.</Notice>
      )}
      {isRotating && (
        <Confirm
          title="Make a new signing secret?"
          action="Make a new secret"
          onConfirm={async () => onChange(await send<WebhookData>('POST', `${PATH}/secret`, {}))}
          onClose={() => setRotating(false)}
        >
          <p>
            {secret_hint === null
              ? 'It is shown once.'
              : 'It is shown once. For a day both secrets sign, so that receivers can be changed in between.'}
          </p>
        </Confirm>
      )}
    </Card>
  )
}
