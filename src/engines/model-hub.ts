// The way to the model hub, through the egress proxy like every other request.

import type { Config } from '../config.ts'
import type { Log } from '../lib/log.ts'
import { Problem } from '../lib/problem.ts'
import { createEgress } from '../net/egress.ts'
import { createFetcher } from '../net/fetch.ts'
import { portOf } from '../net/policy.ts'
import type { HubFetch } from './model-pull.ts'

export interface Hub {
  readonly fetch: HubFetch
  close(): Promise<void>
}

/** The hub is the operator's own choice, so it may be private; its redirects may not. Throws Problem when there is none. */
export async function openHub(config: Config, log: Log): Promise<Hub> {
  const url = config.modelHub === undefined ? undefined : new URL(config.modelHub)
  if (!url)
    throw new Problem('invalid_parameter', 'EARSHOT_MODEL_HUB is empty, so there is nowhere to pull from.')
  const hub = { kind: 'host', host: url.hostname, port: portOf(url) } as const
  const egress = await createEgress({ ...config, trustedHosts: [...config.trustedHosts, hub], log })
  const fetcher = createFetcher(egress, config)
  return { fetch: (path, init) => fetcher.fetch(path, init), close: () => egress.close() }
}
