// How full the queue is, for whoever scrapes the metrics.

import type { App } from '../app.ts'
import { SECOND } from '../lib/time.ts'
import { oldestDue, queueDepths } from './queue.ts'

export function registerQueueMetrics(app: Pick<App, 'db' | 'now' | 'metrics'>): void {
  app.metrics.onScrape({
    name: 'earshot_jobs',
    help: 'Jobs that wait or run, by lane and state; waiting ones include those of the future',
    labels: ['lane', 'state'],
    look: () => queueDepths(app).map(({ lane, state, count }) => [{ lane, state }, count]),
  })
  app.metrics.onScrape({
    name: 'earshot_queue_age_seconds',
    help: 'How long the longest waiting job has been due, by lane',
    labels: ['lane'],
    look: () => oldestDue(app).map(({ lane, runAt }) => [{ lane }, (app.now() - runAt) / SECOND]),
  })
}
