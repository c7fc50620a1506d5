// What was sent to webhooks, newest first, and sending it once more.

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { DeliveryData } from '../../webhook-routes.ts'
import { get, path, send } from '../api.ts'
import { Button } from '../components/button.tsx'
import { Pager } from '../components/pager.tsx'
import { Shown } from '../components/states.tsx'
import { Status, type StatusName } from '../components/status.tsx'
import { toast } from '../components/toasts.tsx'
import { useData } from '../data.ts'
import { ago, dateTime, plural } from '../format.ts'
import { Card } from './card.tsx'

const PATH = '/console/api/webhooks/deliveries'

interface DeliveryPage {
  readonly items: readonly DeliveryData[]
  readonly next_cursor: string | null
}

export function Deliveries(): JSX.Element {
  const [cursor, setCursor] = useState<string>()
  const loaded = useData(`deliveries ${cursor ?? ''}`, (signal) =>
    get<DeliveryPage>(cursor === undefined ? PATH : `${PATH}?cursor=${encodeURIComponent(cursor)}`, signal),
  )
  const replay = async ({ id }: DeliveryData): Promise<void> => {
    const again = await send<DeliveryData>('POST', path(`${PATH}/`, id, '/replay'))
    toast(`Sent once more: ${outcomeOf(again)}`, again.status === 'delivered' ? 'info' : 'error')
    loaded.reload()
  }
  return (
    <Card
      title="Deliveries"
      actions={<Button kind="quiet" icon="retry" label="Look again" onPress={loaded.reload} />}
    >
      <Shown of={loaded} what="Looking for deliveries">
        {({ items, next_cursor }) => (
          <>
            {items.length === 0 && <p class="soft">Nothing was sent yet.</p>}
            {items.length > 0 && (
              <ul class="settings-list">
                {items.map((delivery) => (
                  <li key={delivery.id}>
                    <DeliveryItem delivery={delivery} />
                    {delivery.status !== 'pending' && (
                      <Button
                        icon="retry"
                        label={`Send again the delivery of ${dateTime(delivery.created_at)}`}
                        onPress={() => replay(delivery)}
                      >
                        Send again
                      </Button>
                    )}
                  </li>
                ))}
              </ul>
            )}
            <Pager cursor={cursor} next={next_cursor} onTurn={setCursor} />
          </>
        )}
      </Shown>
    </Card>
  )
}

const STATUS: Readonly<Record<DeliveryData['status'], StatusName>> = {
  waiting: 'pending',
  pending: 'processing',
  delivered: 'completed',
  failed: 'failed',
}

function DeliveryItem({ delivery }: { readonly delivery: DeliveryData }): JSX.Element {
  return (
    <div class="settings-item">
      <p class="row">
        <Status status={STATUS[delivery.status]} />
        <strong>{kindOf(delivery)}</strong>
        <time class="soft small" dateTime={delivery.created_at} title={dateTime(delivery.created_at)}>
          {ago(delivery.created_at)}
        </time>
      </p>
      <p class="soft small breakable">{delivery.url}</p>
      <p class="soft small breakable">
        {capital(outcomeOf(delivery))} {plural(delivery.attempts, 'attempt')}.
      </p>
    </div>
  )
}

function kindOf({ source, replay_of, event_type }: DeliveryData): string {
  if (replay_of !== null) return 'Sent once more'
  return source === 'test' ? 'Test' : (event_type ?? 'Event')
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** A sentence on how it went, to stand behind a colon. */
export function outcomeOf({ status, response_status, last_error, next_attempt_at }: DeliveryData): string {
  if (status === 'delivered') return `the receiver answered ${response_status ?? ''}.`
  const why =
    last_error ?? (response_status === null ? 'no answer yet' : `the receiver answered ${response_status}`)
  const next = next_attempt_at === null ? '' : ` The next attempt is ${ago(next_attempt_at)}.`
  return `${why.replace(/\.$/, '')}.${next}`
}
