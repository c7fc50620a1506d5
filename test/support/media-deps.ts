// What getting media needs, for real: ffmpeg, yt-dlp and the egress proxy, trusting one local site.

import { readConfig } from '../../src/config.ts'
import { createFfmpeg } from '../../src/engines/ffmpeg.ts'
import { createYtdlp } from '../../src/engines/ytdlp.ts'
import { silentLog } from '../../src/lib/log.ts'
import type { MediaDeps } from '../../src/media/source.ts'
import { createEgress } from '../../src/net/egress.ts'
import { createFetcher } from '../../src/net/fetch.ts'
import { temporaryFolder } from './make-media.ts'

export interface TestMedia extends MediaDeps {
  readonly dataDir: string
  /** A new, empty folder. */
  folder(): string
  close(): Promise<void>
}

/** `env` as EARSHOT_… variables; EARSHOT_DATA is a temporary folder. */
export async function createMediaDeps(env: Readonly<Record<string, string>>): Promise<TestMedia> {
  const data = temporaryFolder()
  const config = readConfig({ EARSHOT_DATA: data.path, ...env })
  const egress = await createEgress({ ...config, log: silentLog() })
  let folders = 0
  return {
    config,
    dataDir: data.path,
    ffmpeg: createFfmpeg(config),
    ytdlp: createYtdlp(config, egress.proxyUrl),
    fetcher: createFetcher(egress, { extraCa: config.extraCa }),
    folder() {
      const path = data.file(`spool-${++folders}`)
      Bun.spawnSync(['mkdir', path])
      return path
    },
    async close() {
      await egress.close()
      data.remove()
    },
  }
}

/** Command lines of all processes below this one. */
export function runningPrograms(): string[] {
  const lines = Bun.spawnSync(['ps', '-eo', 'pid=,ppid=,args=']).stdout.toString().trim().split('\n')
  const processes = lines.map((line) => /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [])
  const below = new Set([String(process.pid)])
  const found: string[] = []
  // Parents have lower ids than their children almost always; two passes cover the rest.
  for (let pass = 0; pass < 2; pass++) {
    for (const [, pid = '', parent = '', args = ''] of processes) {
      if (!below.has(parent) || below.has(pid)) continue
      below.add(pid)
      if (!args.startsWith('ps ') && !args.includes('<defunct>')) found.push(args)
    }
  }
  return found
}
