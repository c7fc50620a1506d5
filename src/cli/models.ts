// earshot models …: what can be installed, getting it from a hub or by hand, checking it, choosing one.

import type { Command } from 'commander'
import { basename } from 'node:path'
import type { Config } from '../config.ts'
import { MODEL_TASKS, type Model, type ModelTask } from '../engines/model-catalogue.ts'
import { openHub } from '../engines/model-hub.ts'
import type { PulledFile } from '../engines/model-install.ts'
import { modelRecord, totalBytes } from '../engines/model-record.ts'
import { createModels, type Models } from '../engines/models.ts'
import { createLog } from '../lib/log.ts'
import { Problem } from '../lib/problem.ts'
import { SECOND } from '../lib/time.ts'
import { note, print, printJson, printTable } from './output.ts'
import { createProgress } from './progress.ts'
import { configOf } from './settings.ts'

export function registerModels(program: Command): void {
  const models = program.command('models').description('install, check and choose models')
  models
    .command('list')
    .description('all models, which are installed, and which suit this machine')
    .option('--json', 'print JSON')
    .action((options: { json?: true }, command: Command) => list(options, command))
  models
    .command('pull <id...>')
    .description('download models; a download that broke off goes on where it stopped')
    .action((ids: string[], _options: object, command: Command) => pull(ids, command))
  models
    .command('import <path>')
    .description('install from a file, or all in a folder, what the catalogue knows by its SHA-256')
    .action((path: string, _options: object, command: Command) => importFrom(path, command))
  models
    .command('verify [id]')
    .description('read installed files again and compare their SHA-256')
    .option('--json', 'print JSON')
    .action((id: string | undefined, options: { json?: true }, command: Command) =>
      verify(id, options, command),
    )
  models
    .command('remove <id>')
    .description('delete the files of a model')
    .action(async (id: string, _options: object, command: Command) => {
      for (const path of await modelsOf(command).remove(id)) note(`Deleted ${path}.`)
    })
  models
    .command('use <id>')
    .description('make a model the default for its task; "auto" goes back to the best for this machine')
    .action((id: string, _options: object, command: Command) => use(id, command))
}

const modelsOf = (command: Command): Models => {
  const config = configOf(command)
  return createModels({ config, log: createLog(config.log, 'warn') })
}

async function list({ json }: { json?: true }, command: Command): Promise<void> {
  const entries = await modelsOf(command).list()
  if (json) {
    printJson(entries.map(modelRecord))
    return
  }
  printTable(
    ['ID', 'TASK', 'LANGUAGES', 'SIZE', 'LICENCE', 'STATE', 'FOR THIS MACHINE'],
    entries.map(({ model, state, inUse, recommended }) => [
      model.id,
      model.task,
      languagesOf(model),
      sizeOf(model),
      model.licence,
      [state === 'absent' ? '' : state, inUse ? 'in use' : ''].filter((word) => word !== '').join(', '),
      recommended ? 'recommended' : '',
    ]),
  )
}

const languagesOf = (model: Model): string =>
  model.languages[0] === '*' ? 'many' : model.languages.join(' ')

function sizeOf(model: Model): string {
  const bytes = totalBytes(model)
  return bytes === undefined ? '' : megabytes(bytes)
}

const megabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(bytes < 10_000_000 ? 1 : 0)} MB`

async function pull(ids: readonly string[], command: Command): Promise<void> {
  const config = configOf(command)
  const models = modelsOf(command)
  for (const id of ids) await models.get(id)
  const hub = await openHub(config, createLog(config.log, 'warn'))
  const stop = stopOnSignals()
  const progress = createProgress(megabytes)
  try {
    for (const id of ids) {
      const files = await models.pull(id, {
        fetch: hub.fetch,
        signal: stop.signal,
        onProgress: ({ fileName, receivedBytes, totalBytes }) =>
          progress.update(basename(fileName), receivedBytes, totalBytes),
        onRetry: (reason, waitMs) => {
          progress.stop()
          note(`The download broke off: ${reason}. Trying again in ${waitMs / SECOND} s.`)
        },
      })
      progress.stop()
      report(id, files)
    }
  } finally {
    progress.stop()
    stop.forget()
    await hub.close()
  }
}

function report(id: string, files: readonly PulledFile[]): void {
  for (const file of files.filter((entry) => entry.pinned)) {
    note(
      `${file.fileName}: no SHA-256 is published, so it could not be checked. Seen and from now on required: ${file.sha256}`,
    )
  }
  const fetched = files.filter((file) => file.fetched).length
  print(fetched === 0 ? `${id} was installed already.` : `${id} is installed and verified.`)
}

interface Stop {
  readonly signal: AbortSignal
  forget(): void
}

/** Ctrl-C ends a download in order: what has come stays for the next try. */
function stopOnSignals(): Stop {
  const controller = new AbortController()
  const abort = (): void => {
    controller.abort(
      new Problem('invalid_parameter', 'Stopped. Run the same command again to go on from here.'),
    )
  }
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, abort)
  return {
    signal: controller.signal,
    forget() {
      for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, abort)
    },
  }
}

async function importFrom(path: string, command: Command): Promise<void> {
  const models = modelsOf(command)
  const stop = stopOnSignals()
  try {
    const { imported, unknown } = await models.importFrom(path, { signal: stop.signal })
    for (const file of imported) {
      const how = file.present ? 'was installed already' : 'imported'
      const pinned = file.pinned ? ' (no SHA-256 is published for it: taken by its name)' : ''
      print(`${file.source}: ${file.fileName} of ${file.modelId}, ${how}${pinned}.`)
    }
    for (const file of unknown) note(`${file}: not known by its SHA-256, left alone.`)
    const complete = new Set((await models.installed()).map((model) => model.id))
    for (const id of new Set(imported.map((file) => file.modelId))) {
      if (!complete.has(id)) note(`${id} is not complete yet: some of its files are missing.`)
    }
  } finally {
    stop.forget()
  }
}

async function verify(id: string | undefined, { json }: { json?: true }, command: Command): Promise<void> {
  const results = await modelsOf(command).verify(id)
  if (json) {
    printJson(
      results.map(({ modelId, path, ok, expected, got }) => ({
        model: modelId,
        path,
        ok,
        expected: expected ?? null,
        got,
      })),
    )
  } else {
    for (const { modelId, path, ok, expected, got } of results) {
      const fault =
        expected === undefined ? `no hash to compare with, got ${got}` : `expected ${expected}, got ${got}`
      print(`${ok ? 'ok     ' : 'WRONG  '} ${modelId}  ${path}${ok ? '' : `\n        SHA-256 ${fault}`}`)
    }
    if (results.length === 0) print(id === undefined ? 'No models are installed.' : `${id} is built in.`)
  }
  const wrong = results.filter((result) => !result.ok)
  if (wrong.length > 0) {
    throw new Problem(
      'invalid_parameter',
      `${wrong.length} of ${results.length} files are not what they should be and are not used. Remove and pull them again.`,
    )
  }
}

async function use(id: string, command: Command): Promise<void> {
  const models = modelsOf(command)
  if (id === 'auto') {
    for (const task of MODEL_TASKS) models.clearUse(task)
    print('Every task uses the best installed model for this machine.')
    return
  }
  const { task } = await models.use(id)
  print(`${id} is now the default for ${task}.`)
  noteOverride(task, id, configOf(command))
}

function noteOverride(task: ModelTask, id: string, { speechModel }: Config): void {
  if (task !== 'speech' || speechModel === 'auto' || speechModel === id) return
  note(`EARSHOT_SPEECH_MODEL is ${speechModel} and still decides.`)
}
