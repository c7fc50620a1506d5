// `npm test`: the set-up, then every check from the fastest to the slowest. Stops at the first that fails.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { whisperVariant } from './cpu.mjs'
import { prepare } from './prepare.mjs'
import { bunPath, provideBrowser, ROOT, runMain, SetupError, setup, step } from './setup.mjs'
import { buildWhisper } from './whisper.mjs'

/** Ends a test that hangs. Engines are real, and the machine may be slow: it is no measure of speed. */
const TEST_TIMEOUT_MS = 60_000
/** Test files that run at a time. Most of them wait for processes: more than two would only make engines slower. */
const PARALLEL = 2

/**
 * @param {string} program
 * @param {string[]} args
 */
function check(program, args) {
  const result = spawnSync(program, args, { cwd: ROOT, stdio: 'inherit' })
  if (result.status !== 0) throw new SetupError(`${program} ${args.join(' ')} found something to fix.`)
}

/** @param {string} name */
const tool = (name) => join(ROOT, 'node_modules/.bin', name)

await runMain(async () => {
  await step('set-up', setup)
  await step('format', () => check(tool('biome'), ['format', '--reporter=summary', '.']))
  await step('lint', () => check(tool('oxlint'), ['--type-aware', '--deny-warnings']))
  await step('types', () => check(tool('tsc'), ['-p', '.']))
  await step('build', prepare)
  await step('whisper-cli to compare with', () => buildWhisper(ROOT, whisperVariant(), 'whisper-cli'))
  await step('browser', provideBrowser)
  await step('tests', () =>
    check(bunPath(), [
      'test',
      `--parallel=${PARALLEL}`,
      `--timeout=${TEST_TIMEOUT_MS}`,
      ...process.argv.slice(2),
    ]),
  )
})
