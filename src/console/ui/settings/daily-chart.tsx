// Bars of one meter, a bar a day. What the picture says is said in words as well, and its numbers stand in a table.

import type { JSX } from 'preact'
import { useId } from 'preact/hooks'
import type { DailyUseData } from '../../usage-routes.ts'

type Meter = DailyUseData['meters'][number]

const NAMES: Readonly<Record<string, string>> = {
  standard_request: 'Requests',
  residential_request: 'Requests to video platforms',
  search_request: 'Searches',
  analysis_request: 'Analyses',
  scene_analysis_hour: 'Scene analysis',
  transcription_hour: 'Transcription',
}

/** Units of the picture, which is stretched to the room there is: a day is one wide. */
const HEIGHT = 100
/** Of a day's place, what its bar takes. */
const BAR_SHARE = 0.72

export interface DailyChartProps {
  readonly days: readonly string[]
  readonly meter: Meter
}

export function DailyChart({ days, meter }: DailyChartProps): JSX.Element {
  const id = useId()
  const name = NAMES[meter.meter] ?? meter.meter
  const used = days.flatMap((day, index) => {
    const entry = meter.by_day[index]
    return entry === undefined || (entry.quantity === 0 && entry.credits === 0) ? [] : [{ day, ...entry }]
  })
  return (
    <figure class="chart" aria-labelledby={`${id}-name`}>
      <figcaption class="row spread">
        <h3 id={`${id}-name`}>{name}</h3>
        <p class="soft small number">{totalOf(meter)}</p>
      </figcaption>
      <Bars days={days} meter={meter} label={summaryOf(name, meter, used)} />
      <details>
        <summary>The numbers of {name.toLowerCase()}</summary>
        <table class="number small">
          <thead>
            <tr>
              <th scope="col">Day</th>
              <th scope="col">{meter.unit === 'hours' ? 'Hours' : 'Requests'}</th>
              <th scope="col">Credits</th>
            </tr>
          </thead>
          <tbody>
            {used.map(({ day, quantity, credits }) => (
              <tr key={day}>
                <th scope="row">{dateOf(day)}</th>
                <td>{shown(quantity)}</td>
                <td>{shown(credits)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}

/** The axes are text beside the picture, so that they stay readable when it is narrow. */
function Bars({ days, meter, label }: DailyChartProps & { readonly label: string }): JSX.Element {
  const top = niceTop(Math.max(0, ...meter.by_day.map(({ quantity }) => quantity)))
  const heightOf = (quantity: number): number => (Math.max(0, quantity) / top) * HEIGHT
  return (
    <div class="bars small soft number">
      <div class="bars-scale" aria-hidden="true">
        <span>{shown(top)}</span>
        <span>{shown(top / 2)}</span>
        <span>0</span>
      </div>
      <svg viewBox={`0 0 ${days.length} ${HEIGHT}`} preserveAspectRatio="none" role="img" aria-label={label}>
        {[0, 0.5, 1].map((share) => (
          <line key={share} x1="0" x2={days.length} y1={HEIGHT * share} y2={HEIGHT * share} />
        ))}
        {meter.by_day.map(({ quantity }, index) => (
          <rect
            key={days[index]}
            x={index + (1 - BAR_SHARE) / 2}
            y={HEIGHT - heightOf(quantity)}
            width={BAR_SHARE}
            height={heightOf(quantity)}
          >
            <title>{`${dateOf(days[index] ?? '')}: ${amountOf(meter, quantity)}`}</title>
          </rect>
        ))}
      </svg>
      <div class="bars-days" aria-hidden="true">
        <span>{dateOf(days[0] ?? '')}</span>
        <span>{dateOf(days.at(-1) ?? '')}</span>
      </div>
    </div>
  )
}

/** The smallest of 1, 2, 5 times a power of ten that is not below. */
function niceTop(largest: number): number {
  if (largest <= 0) return 1
  const power = 10 ** Math.floor(Math.log10(largest))
  return ([1, 2, 5, 10].find((step) => step * power >= largest) ?? 10) * power
}

const shown = (value: number): string =>
  value.toLocaleString(undefined, { maximumFractionDigits: value < 1 ? 3 : 2 })

const amountOf = ({ unit }: Meter, quantity: number): string =>
  `${shown(quantity)} ${quantity === 1 ? unit.replace(/s$/, '') : unit}`

const totalOf = (meter: Meter): string =>
  `${amountOf(meter, meter.quantity)}, ${shown(meter.credits)} ${meter.credits === 1 ? 'credit' : 'credits'}`

function summaryOf(
  name: string,
  meter: Meter,
  used: readonly { readonly day: string; readonly quantity: number }[],
): string {
  const most = used.toSorted((a, b) => b.quantity - a.quantity)[0]
  const peak = most ? ` Most on ${dateOf(most.day)}: ${amountOf(meter, most.quantity)}.` : ''
  return `${name}: ${totalOf(meter)} in ${meter.by_day.length} days.${peak}`
}

const date = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short', timeZone: 'UTC' })

function dateOf(day: string): string {
  const atMs = Date.parse(day)
  return Number.isNaN(atMs) ? day : date.format(atMs)
}
