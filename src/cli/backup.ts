// earshot backup FILE, earshot restore FILE: one file with everything that cannot be had again.

import type { Command } from 'commander'
import { resolve } from 'node:path'
import { writeBackup } from '../db/backup.ts'
import { restoreBackup } from '../db/restore.ts'
import { VERSION } from '../lib/version.ts'
import { note } from './output.ts'
import { configOf } from './settings.ts'

interface Options {
  readonly force?: true
}

export function registerBackup(program: Command): void {
  program
    .command('backup <file>')
    .description('copy the database and what belongs to it into one file, also while the server runs')
    .option('--force', 'replace an existing file')
    .action(async (file: string, { force }: Options, command: Command) => {
      const { dataDir } = configOf(command)
      const target = resolve(file)
      const options = { dataDir, file: target, force: force ?? false, version: VERSION, atMs: Date.now() }
      await writeBackup(options)
      note(`Wrote ${target}. It holds signing secrets: keep it safe. Models are not in it.`)
    })
  program
    .command('restore <file>')
    .description('put a backup into the data folder; no server may run on it')
    .option('--force', 'replace the database that is there')
    .action(async (file: string, { force }: Options, command: Command) => {
      const { dataDir } = configOf(command)
      const { created_at, version } = await restoreBackup({
        dataDir,
        file: resolve(file),
        force: force ?? false,
      })
      note(`Restored the backup of ${created_at} (Earshot ${version}) into ${dataDir}.`)
    })
}
