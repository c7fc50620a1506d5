// The checks behind GET /health: cheap looks at each part. `earshot doctor` exercises them for real.

import { statfs } from 'node:fs/promises'
import type { App } from '../app.ts'
import { OLDEST_YTDLP } from '../engines/ytdlp.ts'
import { MINUTE, SECOND } from '../lib/time.ts'
import type { Check, CheckResult } from './health.ts'

const GIB = 1_073_741_824
const LITTLE_SPACE_BYTES = 2 * GIB
const YTDLP_TIMEOUT_MS = 10 * SECOND
/** Asking yt-dlp starts a process: not for every request of a load balancer. */
const YTDLP_KNOWN_MS = 5 * MINUTE

export function healthChecks(app: App): Readonly<Record<string, Check>> {
  return {
    database: () => {
      app.db.query('select 1').get()
      return { status: 'ok', message: 'The database answers.' }
    },
    async storage() {
      const { bavail, bsize } = await statfs(app.config.dataDir)
      const free = bavail * bsize
      const message = `${(free / GIB).toFixed(1)} GiB free for media and the database.`
      return { status: free < LITTLE_SPACE_BYTES ? 'degraded' : 'ok', message }
    },
    async speech() {
      const model = await app.engines.models.choose('speech')
      return { status: 'ok', message: `${model.id} (languages: ${model.languages.join(', ')}).` }
    },
    async embedding() {
      const { modelId, languages } = await app.engines.embedder()
      return { status: 'ok', message: `${modelId} (languages: ${languages.join(', ')}).` }
    },
    async llm() {
      const model = await app.engines.llm.find()
      if (!model)
        return { status: 'missing', message: 'No language model is installed: the built-in engine answers.' }
      return { status: 'ok', message: `${model.engine.model} (${model.engine.name}).` }
    },
    downloader: remembered(
      () => checkDownloader(app),
      YTDLP_KNOWN_MS,
      () => app.now(),
    ),
  }
}

async function checkDownloader(app: App): Promise<CheckResult> {
  const found = await app.engines.ytdlp.version({ signal: AbortSignal.timeout(YTDLP_TIMEOUT_MS) })
  if (!found) return { status: 'missing', message: 'yt-dlp is not there: only URLs of media files work.' }
  if (found.version < OLDEST_YTDLP) {
    return { status: 'degraded', message: `yt-dlp ${found.version} is too old for many sites.` }
  }
  return { status: 'ok', message: `yt-dlp ${found.version}.` }
}

/** Asks again after `forMs`. */
function remembered(check: () => Promise<CheckResult>, forMs: number, now: () => number): Check {
  let last: { readonly at: number; readonly result: Promise<CheckResult> } | undefined
  return () => {
    if (!last || now() - last.at > forMs) last = { at: now(), result: check() }
    return last.result
  }
}
