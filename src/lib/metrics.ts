// What is counted while the product runs, for Prometheus. Labels are names from the code (endpoints, kinds, outcomes) and
// HTTP statuses, never ids: each distinct label makes a series that lives as long as the process.

import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client'

export interface Metrics {
  /** `endpoint`: as in the reference, such as `POST /transcribe`; `none` where there is nothing. */
  requestEnded(endpoint: string, httpStatus: number, tookS: number): void
  jobEnded(kind: string, outcome: JobOutcome, tookS: number): void
  webhookSent(outcome: string): void
  /** An engine's process ended; `crashed`: by itself, in the middle of things. */
  childEnded(engine: string, crashed: boolean): void
  /** A value that is looked up when somebody asks; `look` gives label values and number. */
  onScrape(gauge: ScrapedGauge): void
  /** The text exposition format, version 0.0.4. */
  text(): Promise<string>
  readonly contentType: string
}

/** What became of one attempt. `back`: given back uncounted, by a snooze or the server's stop. */
export type JobOutcome = 'done' | 'failed' | 'retried' | 'back' | 'lost'

export interface ScrapedGauge {
  readonly name: `earshot_${string}`
  readonly help: string
  readonly labels: readonly string[]
  readonly look: () => readonly (readonly [labels: Readonly<Record<string, string>>, value: number])[]
}

/** Seconds. Polls take a millisecond, synchronous transcriptions minutes. */
const REQUEST_BUCKETS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 300, 900]
const JOB_BUCKETS = [0.01, 0.1, 1, 5, 15, 60, 300, 900, 3_600, 14_400]

/** Default metrics that this runtime has no numbers for: they would always be zero, or nonsense. */
const MEANINGLESS = [
  'process_heap_bytes',
  'nodejs_active_resources',
  'nodejs_active_resources_total',
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
  'nodejs_heap_space_size_total_bytes',
  'nodejs_heap_space_size_used_bytes',
  'nodejs_heap_space_size_available_bytes',
  'nodejs_eventloop_lag_min_seconds',
  'nodejs_gc_duration_seconds',
]

/** `ofProcess`: also CPU, memory and event loop. That costs a timer, so only where somebody may ask. */
export function createMetrics({ ofProcess }: { readonly ofProcess: boolean }): Metrics {
  const registry = new Registry()
  const registers = [registry]
  if (ofProcess) {
    collectDefaultMetrics({ register: registry })
    for (const name of MEANINGLESS) registry.removeSingleMetric(name)
  }
  const requests = new Counter({
    name: 'earshot_http_requests_total',
    help: 'Requests answered, by endpoint and HTTP status',
    labelNames: ['endpoint', 'status'],
    registers,
  })
  const requestSeconds = new Histogram({
    name: 'earshot_http_request_duration_seconds',
    help: 'Time from a request to its answer, by endpoint',
    labelNames: ['endpoint'],
    buckets: REQUEST_BUCKETS,
    registers,
  })
  const jobSeconds = new Histogram({
    name: 'earshot_job_attempt_duration_seconds',
    help: 'Duration of attempts at jobs, by kind and outcome',
    labelNames: ['kind', 'outcome'],
    buckets: JOB_BUCKETS,
    registers,
  })
  const webhooks = new Counter({
    name: 'earshot_webhook_attempts_total',
    help: 'Attempts to deliver a webhook, by outcome',
    labelNames: ['outcome'],
    registers,
  })
  const children = new Counter({
    name: 'earshot_engine_exits_total',
    help: 'Engine processes that ended, by engine and way; the next request starts another',
    labelNames: ['engine', 'how'],
    registers,
  })
  return {
    requestEnded(endpoint, httpStatus, tookS) {
      requests.inc({ endpoint, status: String(httpStatus) })
      requestSeconds.observe({ endpoint }, tookS)
    },
    jobEnded: (kind, outcome, tookS) => jobSeconds.observe({ kind, outcome }, tookS),
    webhookSent: (outcome) => webhooks.inc({ outcome }),
    childEnded: (engine, crashed) => children.inc({ engine, how: crashed ? 'crash' : 'end' }),
    onScrape({ name, help, labels, look }) {
      const gauge = new Gauge({
        name,
        help,
        labelNames: labels,
        registers: [],
        collect() {
          this.reset()
          for (const [values, value] of look()) this.set(values, value)
        },
      })
      registry.registerMetric(gauge)
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}
