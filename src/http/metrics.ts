// GET /metrics, for Prometheus: not there at all unless EARSHOT_METRICS says so, and with `local` only for this machine.

import type { Metrics } from '../lib/metrics.ts'
import { Problem } from '../lib/problem.ts'
import { isLocal } from './origin.ts'
import { type Admission, type Route, route } from './route.ts'

export type MetricsAccess = 'off' | 'local' | 'public'

/** No route when `off`. */
export function metricsRoutes(metrics: Metrics, access: MetricsAccess): readonly Route[] {
  if (access === 'off') return []
  const scrape = route(
    {
      method: 'GET',
      path: '/metrics',
      base: '',
      tag: 'Pages',
      summary: 'Metrics for Prometheus',
      responses: {},
      ...(access === 'local' ? { auth: thisMachine } : {}),
    },
    async () => new Response(await metrics.text(), { headers: { 'content-type': metrics.contentType } }),
  )
  return [scrape]
}

const thisMachine: Admission<undefined> = {
  permission: undefined,
  admit(exchange) {
    if (isLocal(exchange)) return undefined
    throw new Problem('not_found', 'There is nothing at this address.')
  },
}
