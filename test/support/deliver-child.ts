// A process that does nothing but deliver webhooks, for tests that kill it: `deliver-child.ts <epoch ms of its clock>`.

import { createApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { createRunner } from '../../src/jobs/runner.ts'
import { silentLog } from '../../src/lib/log.ts'
import { deliverJob } from '../../src/webhooks/deliver.job.ts'

const skewMs = Number(process.argv[2]) - Date.now()
const app = await createApp({
  config: readConfig(process.env),
  log: silentLog(),
  now: () => Date.now() + skewMs,
})
createRunner(app, { jobs: [deliverJob], lanes: { net: 1, compute: 1, webhooks: 4 } }).start()
