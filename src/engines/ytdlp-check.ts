// Whether a yt-dlp can do our work: it starts, takes our options, and reads a page of our own through a proxy of our own.

import type { Config } from '../config.ts'
import { silentLog } from '../lib/log.ts'
import { asError, Problem } from '../lib/problem.ts'
import { runProgram } from '../lib/process.ts'
import { createEgress } from '../net/egress.ts'
import { createYtdlp } from './ytdlp.ts'

const TITLE = 'A page to try yt-dlp on'
const PAGE = `<!doctype html><html><head><title>${TITLE}</title></head><body><video src="/clip.mp4"></video></body></html>`

/** Its version. Throws a Problem when it fails at anything; nothing outside this machine is asked. */
export async function checkYtdlp(
  path: string,
  config: Pick<Config, 'dataDir' | 'extraCa'>,
  signal: AbortSignal,
): Promise<string> {
  const headers = { 'content-type': 'text/html; charset=utf-8' }
  const site = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response(PAGE, { headers }) })
  const trusted = { kind: 'host', host: '127.0.0.1', port: site.port } as const
  const egress = await createEgress({ trustedHosts: [trusted], hostOverrides: [], log: silentLog() })
  try {
    const ytdlp = createYtdlp({ ...config, ytdlpPath: path, siteCookies: [] }, egress.proxyUrl)
    const version = (await ytdlp.version({ signal }))?.version
    if (version === undefined) throw new Error('it does not start')
    if (!/^\d{4}\.\d{2}\.\d{2}/.test(version)) throw new Error(`its version is "${version}"`)
    const { info } = await ytdlp.metadata(`http://127.0.0.1:${site.port}/`, { signal, maxItems: 1 })
    const { formats } = info
    if (!Array.isArray(formats) || formats.length === 0)
      throw new Error('it finds no video on a page that has one')
    return version
  } catch (error) {
    signal.throwIfAborted()
    // For the operator, its own words say more than what callers are told.
    const own = error instanceof Problem && typeof error.cause === 'string' ? error.cause : undefined
    const message = `yt-dlp at ${path} fails its test: ${own ?? asError(error).message}`
    throw new Problem('upstream_failed', message, { cause: error })
  } finally {
    await egress.close()
    await site.stop(true)
  }
}

/** Whether it carries the scripts that solve YouTube's riddles in a JavaScript runtime: its own releases do, Debian's do not. */
export async function hasSolver(path: string, signal: AbortSignal): Promise<boolean> {
  // It lists its libraries before it complains that there is no URL.
  const { stderr } = await runProgram({ command: [path, '--ignore-config', '--verbose'], signal })
  return /^\[debug\] Optional libraries: .*\byt_dlp_ejs\b/m.test(stderr)
}
