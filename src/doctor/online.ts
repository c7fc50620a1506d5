// What the doctor examines of the way to the online world: yt-dlp, its JavaScript runtime and the browser, each run for real
// on pages that never leave this machine, and the operator's log-ins and proxies for sites.

import { connect } from 'node:net'
import type { App } from '../app.ts'
import { readSiteCookies } from '../engines/site-cookies.ts'
import { OLDEST_YTDLP, STALE_YTDLP_DAYS } from '../engines/ytdlp.ts'
import { checkYtdlp, hasSolver } from '../engines/ytdlp-check.ts'
import { ageDays } from '../engines/ytdlp-process.ts'
import { asError } from '../lib/problem.ts'
import type { SiteCookies, SiteProxy } from '../lib/site-list.ts'
import { SECOND } from '../lib/time.ts'
import { type Finding, ok, type Part, warning } from './finding.ts'

export const ONLINE_PARTS: readonly Part[] = [
  { name: 'yt-dlp', required: false, examine: examineYtdlp },
  { name: 'JavaScript', required: false, examine: examineRuntime },
  { name: 'browser', required: false, examine: examineBrowser },
  { name: 'sites', required: false, examine: examineSites },
]

async function examineYtdlp(app: App, signal: AbortSignal): Promise<Finding> {
  const found = await app.engines.ytdlp.version({ signal })
  if (!found) {
    return warning(
      'not installed: only URLs of media files work; run "earshot tools update", or set EARSHOT_YTDLP',
    )
  }
  const text = `${found.version} (${found.path})`
  await checkYtdlp(found.path, app.config, signal)
  const advice = 'run "earshot tools update"'
  if (found.version < OLDEST_YTDLP) return warning(`${text} is too old for many sites: ${advice}`)
  const age = ageDays(found.version, Date.now()) ?? 0
  if (age > STALE_YTDLP_DAYS) return warning(`${text} is ${age} days old, and sites change: ${advice}`)
  return ok(`${text}, reads a test page`)
}

async function examineRuntime(app: App, signal: AbortSignal): Promise<Finding> {
  const runtime = await app.engines.jsRuntimes.find()
  if (!runtime) {
    return warning(
      'no runtime for the scripts of sites: its walls need Linux with user, mount, network and process namespaces, which are not permitted here; most videos of YouTube stay out of reach',
    )
  }
  const text = `Bun ${runtime.version}, behind walls`
  const ytdlp = await app.engines.ytdlp.version({ signal })
  if (!ytdlp || (await hasSolver(ytdlp.path, signal))) return ok(text)
  return warning(
    `${text}; but this yt-dlp lacks the scripts that solve YouTube's riddles (yt-dlp-ejs), which its own releases have: run "earshot tools update"`,
  )
}

async function examineBrowser(app: App, signal: AbortSignal): Promise<Finding> {
  const { path } = app.engines.browser
  if (path === undefined) {
    return warning(
      'not installed: no keyword search for short videos; install Chromium (on Debian: apt-get install chromium), or set EARSHOT_CHROMIUM',
    )
  }
  const startedAt = performance.now()
  const sum = await app.engines.browser.session(
    async (session) => {
      const page = await session.newPage()
      await page.goto('data:text/html,<title>A page</title><script>document.title = 6 * 7</script>')
      return await page.title()
    },
    { signal, timeoutMs: 60 * SECOND },
  )
  const seconds = ((performance.now() - startedAt) / SECOND).toFixed(1)
  if (sum === '42') return ok(`${path} starts, runs the script of a page and ends, ${seconds} s`)
  return warning(`${path} starts, but did not run the script of a test page`)
}

async function examineSites(app: App): Promise<Finding> {
  const { siteCookies, siteProxies } = app.config
  const findings = await Promise.all([...siteCookies.map(examineCookies), ...siteProxies.map(examineProxy)])
  if (findings.length === 0) return ok('no log-ins or proxies of their own')
  const bad = findings.filter(({ verdict }) => verdict !== 'ok')
  return (bad.length > 0 ? warning : ok)(
    (bad.length > 0 ? bad : findings).map(({ message }) => message).join('; '),
  )
}

async function examineCookies(entry: SiteCookies): Promise<Finding> {
  try {
    const cookies = await readSiteCookies(entry)
    const now = Date.now() / SECOND
    const valid = cookies.filter(({ expiresAtS }) => expiresAtS === 0 || expiresAtS > now).length
    const text = `${entry.site}: ${valid} cookies`
    return valid > 0
      ? ok(text)
      : warning(`${text} that hold in ${entry.path}: export them anew while signed in`)
  } catch (error) {
    return warning(`${entry.site}: ${asError(error).message}`)
  }
}

/** Whether it can be reached; what it lets through only the sites themselves could tell. */
function examineProxy({ site, host, port }: SiteProxy): Promise<Finding> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, timeout: 5 * SECOND })
    const end = (finding: Finding): void => {
      socket.destroy()
      resolve(finding)
    }
    socket.once('connect', () => end(ok(`${site}: its proxy ${host}:${port} can be reached`)))
    socket.once('error', (error) =>
      end(warning(`${site}: its proxy ${host}:${port} fails: ${error.message}`)),
    )
    socket.once('timeout', () => end(warning(`${site}: its proxy ${host}:${port} does not answer`)))
  })
}
