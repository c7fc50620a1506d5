// The checks behind GET /health: cheap looks at each part. `earshot doctor` exercises them for real.

import { statfs } from 'node:fs/promises'
import { basename } from 'node:path'
import type { App } from '../app.ts'
import { OLDEST_YTDLP, STALE_YTDLP_DAYS } from '../engines/ytdlp.ts'
import { ageDays } from '../engines/ytdlp-process.ts'
import { SECOND } from '../lib/time.ts'
import type { Check, CheckResult } from './health.ts'

const GIB = 1_073_741_824
const LITTLE_SPACE_BYTES = 2 * GIB
const YTDLP_TIMEOUT_MS = 10 * SECOND

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
    downloader: () => checkDownloader(app),
    browser() {
      const { path } = app.engines.browser
      if (path !== undefined) return { status: 'ok', message: `${basename(path)} is there.` }
      return { status: 'missing', message: 'No browser: keyword search for short videos is not available.' }
    },
  }
}

/** Costs a process when yt-dlp is another than at the last look, and next to nothing otherwise. */
async function checkDownloader(app: App): Promise<CheckResult> {
  const found = await app.engines.ytdlp.version({ signal: AbortSignal.timeout(YTDLP_TIMEOUT_MS) })
  if (!found) return { status: 'missing', message: 'yt-dlp is not there: only URLs of media files work.' }
  if (found.version < OLDEST_YTDLP) {
    return { status: 'degraded', message: `yt-dlp ${found.version} is too old for many sites; ${UPDATE}` }
  }
  const age = ageDays(found.version, app.now()) ?? 0
  if (age > STALE_YTDLP_DAYS) {
    return { status: 'degraded', message: `yt-dlp ${found.version} is ${age} days old; ${UPDATE}` }
  }
  return { status: 'ok', message: `yt-dlp ${found.version}.` }
}

const UPDATE = 'update it with "earshot tools update".'
