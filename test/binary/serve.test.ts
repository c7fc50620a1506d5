// The compiled binary as a server, far from this checkout, with nothing but ffmpeg on its PATH: from a URL to the words.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, existsSync, mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { copyElsewhere, type Elsewhere } from '../support/elsewhere.ts'
import { type EndToEnd, JFK, startEndToEnd, wordsHeard } from '../support/e2e.ts'
import type { Reply } from '../support/server.ts'
import { processesOf } from '../support/processes.ts'
import { addRecording } from '../support/speech-site.ts'
import { wordsOf } from '../support/samples.ts'
import { JFK_PATH } from '../support/speech.ts'

setDefaultTimeout(120_000)

let elsewhere: Elsewhere
let run: EndToEnd
beforeAll(async () => {
  elsewhere = await copyElsewhere()
  const programs = join(elsewhere.folder.path, 'programs')
  mkdirSync(programs)
  for (const name of ['ffmpeg', 'ffprobe']) symlinkSync(Bun.which(name) ?? '', join(programs, name))
  run = await startEndToEnd({}, { binary: launcher(programs), cwd: elsewhere.folder.path })
})
afterAll(async () => {
  await run.close()
  elsewhere[Symbol.dispose]()
})

/** A script that hides the checkout, which takes the system's programs, and then runs the binary without them. */
function launcher(programs: string): string {
  const command = elsewhere.command([])
  const words = [...command.slice(0, -1), 'env', `PATH=${programs}`, ...command.slice(-1)]
  const quoted = words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(' ')
  const path = elsewhere.folder.write(
    'launch',
    `#!/bin/sh\nPATH=/usr/sbin:/usr/bin:/sbin:/bin\nexec ${quoted} "$@"\n`,
  )
  chmodSync(path, 0o700)
  return path
}

test('hears the sentence over HTTP with ffmpeg alone beside it', async () => {
  addRecording(run.site, JFK_PATH, 'jfk.mp4')
  expect(wordsHeard(await run.transcribe(run.site.url('/jfk.mp4')))).toEqual(wordsOf(JFK))
  // Its engines are itself, and lie in its own data folder.
  const programs = processesOf(run.server.env['HOME'] ?? '').map(({ commandLine }) => commandLine)
  expect(programs.some((line) => line.includes('engine onnx'))).toBe(true)
  for (const line of programs) expect(line).toStartWith(elsewhere.folder.path)
  expect(existsSync(join(run.server.dataDir, 'cache'))).toBe(true)
})

test('finds what is said in an uploaded file, by meaning, in its search thread', async () => {
  const form = new FormData()
  form.set('file', new Blob([await Bun.file(JFK_PATH).arrayBuffer()]), 'speech.mp3')
  form.set('wait_for_completion', 'true')
  const headers = { 'x-api-key': run.key }
  const upload = await fetch(`${run.server.url}/v1/upload/file`, { method: 'POST', headers, body: form })
  expect(upload.status).toBe(201)
  const body = { query: 'what citizens should contribute to their nation' }
  let found: Reply | undefined
  // Indexing follows the transcript at once, but not within its answer.
  for (let attempt = 0; attempt < 200 && !found?.body.data.results[0]; attempt++) {
    found = await run.server.request('POST', '/v1/search/file', { key: run.key, body })
    expect(found.status).toBe(200)
    await Bun.sleep(50)
  }
  expect(found?.body.data.results[0].name).toBe('speech.mp3')
  expect(found?.body.data.explanation).toContain('by meaning (use-lite-en)')
})

test('says in its health what is missing, and still answers', async () => {
  const { status, body } = await run.server.request('GET', '/v1/health')
  expect(status).toBe(200)
  expect(body.checks.speech.status).toBe('ok')
  expect(body.checks.database.status).toBe('ok')
})

test('is gone with everything it started when it is stopped, and hears again after the next start', async () => {
  const home = run.server.env['HOME'] ?? ''
  expect(await run.server.kill('SIGTERM')).toBe(0)
  expect(processesOf(home)).toEqual([])
  run.server = await run.server.restart()
  addRecording(run.site, JFK_PATH, 'again.webm')
  expect(wordsHeard(await run.transcribe(run.site.url('/again.webm'))).length).toBe(wordsOf(JFK).length)
})
