// earshot tools …: the programs that Earshot starts, and a current yt-dlp from its releases.

import type { Command } from 'commander'
import type { Config } from '../config.ts'
import { findChromium } from '../engines/browser.ts'
import { createFfmpeg } from '../engines/ffmpeg.ts'
import { createJsRuntimes } from '../engines/js-runtime.ts'
import { openHub } from '../engines/model-hub.ts'
import { ageDays, listYtdlp, ytdlpVersion } from '../engines/ytdlp-process.ts'
import { rollBackYtdlp, type Update, updateYtdlp } from '../engines/ytdlp-update.ts'
import { createLog } from '../lib/log.ts'
import { Problem } from '../lib/problem.ts'
import { runProgram } from '../lib/process.ts'
import { SECOND } from '../lib/time.ts'
import { print, printJson, printTable } from './output.ts'
import { createProgress } from './progress.ts'
import { configOf } from './settings.ts'

interface JsonOption {
  readonly json?: true
}

export function registerTools(program: Command): void {
  const tools = program
    .command('tools')
    .description('the programs that Earshot starts, and updates of yt-dlp')
  tools
    .command('list')
    .description('which programs there are, where they come from, and which are used')
    .option('--json', 'print JSON')
    .action((options: JsonOption, command: Command) => list(options, command))
  tools
    .command('update')
    .description('fetch the latest yt-dlp, check and try it; a running server uses it at once')
    .option('--json', 'print JSON')
    .action((options: JsonOption, command: Command) => update(options, command))
  tools
    .command('rollback')
    .description('go back to the yt-dlp from before the last update')
    .option('--json', 'print JSON')
    .action(async ({ json }: JsonOption, command: Command) => {
      const config = configOf(command)
      report(await rollBackYtdlp(config, new AbortController().signal), config, json)
    })
}

interface Tool {
  readonly name: string
  readonly version: string | undefined
  readonly ageDays: number | undefined
  readonly source: string
  readonly path: string
  readonly inUse: boolean
}

async function list({ json }: JsonOption, command: Command): Promise<void> {
  const found = await findTools(configOf(command))
  if (json) {
    printJson(
      found.map(({ name, version, ageDays: age, source, path, inUse }) => ({
        name,
        version: version ?? null,
        age_days: age ?? null,
        source,
        path,
        in_use: inUse,
      })),
    )
    return
  }
  printTable(
    ['NAME', 'VERSION', 'AGE', 'FROM', 'STATE', 'PATH'],
    found.map(({ name, version, ageDays: age, source, path, inUse }) => [
      name,
      version ?? 'does not start',
      age === undefined ? '' : `${age} days`,
      source,
      inUse ? 'in use' : '',
      path,
    ]),
  )
}

async function findTools(config: Config): Promise<Tool[]> {
  const signal = AbortSignal.timeout(60 * SECOND)
  const ytdlps = listYtdlp(config).map(async ({ source, path }, index) => {
    const version = await ytdlpVersion(path, signal)
    const age = version === undefined ? undefined : ageDays(version, Date.now())
    return { name: 'yt-dlp', version, ageDays: age, source, path, inUse: index === 0 }
  })
  const single = (
    name: string,
    setting: string | undefined,
    path: string,
    version: string | undefined,
  ): Tool => ({
    name,
    version,
    ageDays: undefined,
    source: setting === undefined ? 'system' : `EARSHOT_${name.toUpperCase()}`,
    path,
    inUse: version !== undefined,
  })
  const ffmpeg = await createFfmpeg(config)
    .version({ signal })
    .catch(() => undefined)
  const ffmpegPath = config.ffmpegPath ?? Bun.which('ffmpeg') ?? 'ffmpeg'
  const chromium = findChromium(config)
  const runtime = await createJsRuntimes(config).find()
  return [
    ...(await Promise.all(ytdlps)),
    single('ffmpeg', config.ffmpegPath, ffmpegPath, /version (\S+)/.exec(ffmpeg ?? '')?.[1]),
    ...(chromium === undefined
      ? []
      : [single('chromium', config.chromiumPath, chromium, await chromiumVersion(chromium, signal))]),
    ...(runtime ? [{ ...single('bun', undefined, runtime.path, runtime.version), source: 'Earshot' }] : []),
  ]
}

async function chromiumVersion(path: string, signal: AbortSignal): Promise<string | undefined> {
  const run = await runProgram({ command: [path, '--version'], signal }).catch(() => undefined)
  return /\d+(?:\.\d+)+/.exec(run?.stdout ?? '')?.[0]
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`

async function update({ json }: JsonOption, command: Command): Promise<void> {
  const config = configOf(command)
  if (config.toolsHub === undefined) {
    throw new Problem('invalid_parameter', 'EARSHOT_TOOLS_HUB is empty, so there is nowhere to update from.')
  }
  const hub = await openHub({ ...config, modelHub: config.toolsHub }, createLog(config.log, 'warn'))
  const progress = createProgress(megabytes)
  const stop = new AbortController()
  const onStop = (): void => stop.abort(new Problem('invalid_parameter', 'Stopped. Nothing was changed.'))
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, onStop)
  try {
    const result = await updateYtdlp(config, {
      fetch: hub.fetch,
      signal: stop.signal,
      onProgress: (bytes, totalBytes) => progress.update('yt-dlp', bytes, totalBytes),
    })
    progress.stop()
    report(result, config, json)
  } finally {
    progress.stop()
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, onStop)
    await hub.close()
  }
}

function report({ path, version, former, changed }: Update, config: Config, json: true | undefined): void {
  if (json) {
    printJson({ name: 'yt-dlp', path, version, former_version: former ?? null, changed })
    return
  }
  if (!changed) print(`yt-dlp ${version} is the latest already.`)
  else
    print(
      `yt-dlp ${version} is installed and tried${former === undefined ? '' : `; before, it was ${former}`}.`,
    )
  if (config.ytdlpPath !== undefined) print(`EARSHOT_YTDLP is ${config.ytdlpPath} and still decides.`)
}
