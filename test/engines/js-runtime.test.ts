// The JavaScript runtime for yt-dlp: that yt-dlp takes it, and what a hostile script in it can reach.

import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { createJsRuntimes } from '../../src/engines/js-runtime.ts'
import { sandboxed } from '../../src/engines/sandbox.ts'
import { createStart, findYtdlp, type YtdlpConfig, ytdlpLimits } from '../../src/engines/ytdlp-process.ts'
import { startProgram } from '../../src/lib/process.ts'
import { temporaryFolder } from '../support/make-media.ts'

setDefaultTimeout(60_000)

const folder = temporaryFolder()
afterAll(() => folder.remove())
const config: YtdlpConfig = {
  ytdlpPath: undefined,
  dataDir: folder.path,
  extraCa: undefined,
  siteCookies: [],
}
const runtimes = createJsRuntimes(config)
const runtime = await runtimes.find()
if (!runtime) console.log('No namespaces are permitted here: there is no JavaScript runtime to test.')
const walled = test.skipIf(runtime === undefined)
const signal = AbortSignal.timeout(50_000)

walled('yt-dlp is given it, and names it among its runtimes', async () => {
  const start = createStart(config, 'http://127.0.0.1:9', runtimes)
  const args = ['--verbose', '--simulate', '--', 'http://nowhere.invalid/']
  const program = await start({ args, limits: ytdlpLimits(60, 1_024), cwd: folder.path, signal })
  await new Response(program.stdout).text()
  await program.exited
  expect(findYtdlp(config)).toBeDefined()
  expect(program.stderrTail()).toContain(`JS runtimes: bun-${runtime?.version}`)
})

/** As yt-dlp runs it, behind yt-dlp's own limits. */
async function run(code: string): Promise<{ stdout: string; exitCode: number | null }> {
  const command = [runtime?.path ?? '', '--bun', 'run', '--no-addons', '--no-install', '-']
  const env = { HTTPS_PROXY: 'http://earshot:secret-word@127.0.0.1:9' }
  const program = startProgram({
    command: sandboxed(command, ytdlpLimits(60, 1_024)),
    stdin: 'pipe',
    env,
    signal,
  })
  await program.stdin?.write(code)
  await program.stdin?.end()
  const stdout = await new Response(program.stdout).text()
  return { stdout, exitCode: await program.exited }
}

const ATTEMPTS = {
  'the data folder': `fs.readdirSync(${JSON.stringify(folder.path)})`,
  'the configuration of the machine': `fs.readdirSync('/etc')`,
  'what other processes hold': `fs.readdirSync('/proc').filter((name) => Number(name) > 1 && fs.readFileSync('/proc/' + name + '/cmdline', 'latin1').includes('test')).length > 0 || (() => { throw Error('none') })()`,
  'the system, for writing': `fs.writeFileSync('/usr/bin/evil', 'x')`,
  'a mount': `require('node:child_process').execFileSync('/usr/bin/umount', ['/usr'], { stdio: 'pipe' })`,
  'the network': `await fetch('http://127.0.0.1:9/').catch((error) => { if (error.code !== 'ECONNREFUSED') throw error })`,
}

walled('a script in it computes, and reaches nothing else', async () => {
  const lines = Object.entries(ATTEMPTS).map(
    ([name, code]) =>
      `try { ${code}; console.log(${JSON.stringify(name)}) } catch { console.log('refused') }`,
  )
  const code = `import fs from 'node:fs'\n${lines.join('\n')}\nconsole.log(6 * 7, JSON.stringify(process.env))`
  const { stdout } = await run(code)
  const results = stdout.trim().split('\n')
  expect(results.slice(0, -1)).toEqual(Object.keys(ATTEMPTS).map(() => 'refused'))
  expect(results.at(-1)).toStartWith('42 ')
  expect(stdout).not.toContain('secret-word')
})
