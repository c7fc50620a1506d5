// What the account has, what it stores, and what it used day by day.

import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import type { UsageData } from '../../../billing/usage-routes.ts'
import type { DailyUseData } from '../../usage-routes.ts'
import { get } from '../api.ts'
import { Button } from '../components/button.tsx'
import { Notice, Progress, Shown } from '../components/states.tsx'
import { useData } from '../data.ts'
import { number } from '../format.ts'
import { Card } from './card.tsx'
import { DailyChart } from './daily-chart.tsx'

const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium' })

const RANGES = [7, 30, 90] as const

export function UsageSettings(): JSX.Element {
  const loaded = useData('usage', (signal) => get<UsageData>('/v1/usage', signal))
  return (
    <>
      <Shown of={loaded} what="Looking up what there is">
        {(usage) => (
          <>
            <Credits usage={usage} />
            <Storage usage={usage} />
          </>
        )}
      </Shown>
      <DailyUse />
    </>
  )
}

function Credits({
  usage: { credits, subscription, billing_period },
}: {
  readonly usage: UsageData
}): JSX.Element {
  const { monthly_total, monthly_remaining, purchased } = credits
  const isLimited = monthly_total !== 'unlimited' && monthly_remaining !== 'unlimited'
  return (
    <Card title="Credits">
      <dl class="facts">
        <div>
          <dt>Plan</dt>
          <dd>{subscription.plan_name}</dd>
        </div>
        <div>
          <dt>Left this month</dt>
          <dd class="number">
            {isLimited ? `${number(monthly_remaining)} of ${number(monthly_total)}` : 'Unlimited'}
          </dd>
        </div>
        {isLimited && (
          <div>
            <dt>Purchased</dt>
            <dd class="number">{number(purchased)}</dd>
          </div>
        )}
        <div>
          <dt>The month ends</dt>
          <dd>{day.format(Date.parse(billing_period.end))}</dd>
        </div>
      </dl>
      {isLimited && monthly_total > 0 && (
        <Progress
          value={1 - monthly_remaining / monthly_total}
          label="Share of the month's credits that is used"
        />
      )}
      {isLimited && monthly_remaining + purchased === 0 && (
        <Notice kind="warning">
          No credits are left: new work is refused until the next month, or until the operator adds some.
        </Notice>
      )}
    </Card>
  )
}

function Storage({ usage: { storage } }: { readonly usage: UsageData }): JSX.Element {
  const isLimited = storage.limit_bytes !== 'unlimited'
  return (
    <Card title="Storage">
      <p>
        {isLimited
          ? `${storage.used_formatted} of ${storage.limit_formatted} used, ${storage.remaining_formatted} left.`
          : `${storage.used_formatted} used; there is no limit.`}
      </p>
      {isLimited && <Progress value={storage.percentage / 100} label="Share of the storage that is used" />}
    </Card>
  )
}

function DailyUse(): JSX.Element {
  const [days, setDays] = useState<number>(30)
  const loaded = useData(`days ${days}`, (signal) =>
    get<DailyUseData>(`/console/api/usage/days?days=${days}`, signal),
  )
  return (
    <Card
      title="Day by day"
      actions={
        <div class="segmented" role="group" aria-label="How many days">
          {RANGES.map((range) => (
            <Button key={range} kind="quiet" pressed={days === range} onPress={() => setDays(range)}>
              {range} days
            </Button>
          ))}
        </div>
      }
    >
      <Shown of={loaded} what="Adding up">
        {({ days: dates, meters }) => (
          <>
            {meters.length === 0 && <p class="soft">Nothing was charged in these days.</p>}
            {meters.map((meter) => (
              <DailyChart key={meter.meter} days={dates} meter={meter} />
            ))}
          </>
        )}
      </Shown>
    </Card>
  )
}
