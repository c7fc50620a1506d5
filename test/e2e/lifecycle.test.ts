// What was accepted is done once and whole, however the server ends: killed at the worst moments, stopped, abandoned by
// its clients, out of disk space. Nothing stays behind: no process, no file.

import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdirSync, readdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type AnswerSegment, type EndToEnd, faultsOf, startEndToEnd } from '../support/e2e.ts'
import { cleanEnv, earshot } from '../support/earshot.ts'
import { isGone, processesOf } from '../support/processes.ts'
import { startServer } from '../support/server.ts'
import { readSamples } from '../support/samples.ts'
import { addRecording, joinAudio } from '../support/speech-site.ts'

setDefaultTimeout(120_000)

let run: EndToEnd
/** What the uninterrupted server hears in `talk-….wav`. */
let expected: readonly AnswerSegment[]
let talks = 0

beforeAll(async () => {
  run = await startEndToEnd()
  expected = await run.transcribe(newTalk())
  expect(expected.length).toBeGreaterThan(10)
  expect(faultsOf(expected, 10_000)).toEqual([])
}, 120_000)
afterAll(() => run.close())

/** The URL of the same recording under a name of its own: nothing of it is cached. */
function newTalk(): string {
  const name = `talk-${talks++}.wav`
  const { site } = run
  if (talks === 1) {
    const sentences = readSamples('sample-').slice(0, 3)
    const parts = sentences.flatMap(({ wavPath }) => [{ file: wavPath }, { silenceS: 2 }])
    joinAudio(site.file(name), parts)
  } else {
    Bun.spawnSync(['cp', site.file('talk-0.wav'), site.file(name)])
  }
  return site.url(`/${name}`)
}

const home = (): string => run.server.env['HOME'] ?? ''
const spool = (): string[] => readdirSync(join(run.server.dataDir, 'spool'))

async function killAndRestart(): Promise<void> {
  const before = processesOf(home())
  expect(before.some(({ pid }) => pid === run.server.pid)).toBe(true)
  await run.server.kill('SIGKILL')
  for (const { pid } of before) expect(await isGone(pid)).toBe(true)
  expect(processesOf(home())).toEqual([])
  run.server = await run.server.restart()
}

function query<Row>(sql: string, ...values: string[]): Row[] {
  using db = new Database(join(run.server.dataDir, 'earshot.db'), { readonly: true })
  return db.query<Row, string[]>(sql).all(...values)
}

/** Polls until `condition` holds; the deadline only ends a test that hangs. */
async function until(condition: () => boolean | Promise<boolean>, deadlineMs = 60_000): Promise<number> {
  const startedAt = performance.now()
  while (!(await condition())) {
    if (performance.now() - startedAt > deadlineMs) throw new Error(`waited in vain for ${String(condition)}`)
    await Bun.sleep(10)
  }
  return performance.now() - startedAt
}

const isTranscribing = (taskId: string) => async (): Promise<boolean> => {
  const { body } = await run.server.request('GET', `/v1/transcribe/${taskId}`, { key: run.key })
  if (body.data.task_status !== 'processing') throw new Error('it ended before it could be interrupted')
  return body.data.progress > 0.3
}

async function expectWhole(taskId: string): Promise<void> {
  const task = await run.ended(taskId)
  expect(task.error).toBeNull()
  expect(task.result.transcript).toEqual(expected)
  const url = String(task.request.video_url)
  const rows = query<{ segments: number }>(
    `select count(*) as segments from transcript_segments join transcripts on transcripts.id = transcript_id
     where complete = 1 and json_extract(video_info, '$.url') = ?`,
    url,
  )
  expect(rows).toEqual([{ segments: expected.length }])
  await until(() => spool().length === 0)
}

describe('kill -9', () => {
  test('while fetching', async () => {
    const url = newTalk()
    const hold = run.site.hold(url.slice(url.lastIndexOf('/') + 1))
    const taskId = await run.submit(url)
    await hold.reached
    await killAndRestart()
    hold.release()
    await expectWhole(taskId)
  })

  test('while transcribing, twice', async () => {
    const taskId = await run.submit(newTalk())
    await until(isTranscribing(taskId))
    await killAndRestart()
    const resumed = await run.server.request('GET', `/v1/transcribe/${taskId}`, { key: run.key })
    expect(resumed.body.data.progress).toBeGreaterThan(0.3)
    await killAndRestart()
    await expectWhole(taskId)
  })

  test('right after the 202s', async () => {
    const ids: string[] = []
    for (let index = 0; index < 2; index++) ids.push(await run.submit(newTalk()))
    await killAndRestart()
    for (const id of ids) await expectWhole(id)
  })
})

test('SIGTERM gives running work back without counting the attempt, within ten seconds', async () => {
  const taskId = await run.submit(newTalk())
  await until(isTranscribing(taskId))
  const before = processesOf(home())
  const startedAt = performance.now()
  expect(await run.server.kill('SIGTERM')).toBe(0)
  expect(performance.now() - startedAt).toBeLessThan(10_000)
  for (const { pid } of before) expect(await isGone(pid)).toBe(true)
  const jobs = query<{ kind: string; state: string; attempt: number }>(
    `select kind, state, attempt from jobs where owner = ? and state <> 'done'`,
    taskId,
  )
  expect(jobs).toEqual([{ kind: 'transcribe', state: 'queued', attempt: 0 }])
  run.server = await run.server.restart()
  await expectWhole(taskId)
})

describe('a synchronous client that leaves', () => {
  async function leave(moment: () => Promise<unknown>): Promise<void> {
    const url = newTalk()
    const name = url.slice(url.lastIndexOf('/') + 1)
    const hold = run.site.hold(name)
    const controller = new AbortController()
    const answer = fetch(`${run.server.url}/v1/transcribe`, {
      method: 'POST',
      headers: { 'x-api-key': run.key, 'content-type': 'application/json' },
      body: JSON.stringify({ video_url: url }),
      signal: controller.signal,
    }).catch(() => 'gone')
    await hold.reached
    if (moment !== stayInFetch) hold.release()
    await moment()
    const left = performance.now()
    controller.abort()
    expect(await answer).toBe('gone')
    await until(() => spool().length === 0, 2_000)
    const media = (): boolean =>
      processesOf(home()).some(({ commandLine }) => /ffmpeg|yt-dlp/.test(commandLine))
    await until(() => !media(), 2_000)
    const open = `select count(*) as n from jobs where state in ('queued', 'running') and kind in ('fetch', 'transcribe')`
    await until(() => query<{ n: number }>(open)[0]?.n === 0, 2_000)
    expect(performance.now() - left).toBeLessThan(2_000)
    expect(query(`select id from tasks where is_sync = 1 and status = 'processing'`)).toEqual([])
    hold.release()
  }
  const stayInFetch = async (): Promise<void> => undefined

  test('while fetching ends the work', () => leave(stayInFetch))

  test('while transcribing ends the work', () =>
    leave(() =>
      until(
        () =>
          query(`select id from jobs where kind = 'transcribe' and progress > 0.3 and state = 'running'`)
            .length > 0,
      ),
    ))
})

test('a second server on the same data folder is refused, with the pid of the first', async () => {
  const second = await earshot(['serve'], { cwd: tmpdir(), env: run.server.env })
  expect(second.exitCode).not.toBe(0)
  expect(second.stderr).toContain(String(run.server.pid))
  expect(second.stderr).toContain(run.server.dataDir)
  expect((await run.server.request('GET', '/v1/health')).status).toBe(200)
})

test('a full disk fails or delays the task, not the server; with space again it works again', async () => {
  const disk = join(run.site.folder, 'small-disk')
  mkdirSync(disk)
  const mounted = Bun.spawnSync(['mount', '-t', 'tmpfs', '-o', 'size=24m', 'none', disk])
  if (mounted.exitCode !== 0) {
    console.warn(`Skipped: no small disk can be made here: ${mounted.stderr.toString().trim()}`)
    return
  }
  const server = await startServer({
    dataDir: disk,
    env: cleanEnv({ EARSHOT_TRUSTED_HOSTS: run.site.host, EARSHOT_MIN_FREE_BYTES: '0' }),
  })
  try {
    const key = await server.createKey()
    const ask = async (path: string): Promise<{ task_status: string; error: object | null }> => {
      const reply = await server.request('POST', '/v1/transcribe/async', {
        key,
        body: { video_url: run.site.url(path) },
      })
      expect(reply.status).toBe(202)
      const id = String(reply.body.data.task_id)
      for (;;) {
        const { body, status } = await server.request('GET', `/v1/transcribe/${id}`, { key })
        expect(status).toBe(200)
        if (body.data.task_status !== 'processing') return body.data
        await Bun.sleep(50)
      }
    }
    // More than the disk holds.
    joinAudio(run.site.file('large.wav'), [{ silenceS: 1_000 }])
    const full = await ask('/large.wav')
    expect(full.task_status).toBe('failed')
    expect(full.error).toMatchObject({ error: 'system_overload', http_status: 503 })
    expect((await server.request('GET', '/v1/health')).status).toBe(200)
    await until(() => readdirSync(join(disk, 'spool')).length === 0)
    const [sample] = readSamples('sample-')
    addRecording(run.site, sample?.wavPath ?? '', 'small.mp3')
    expect((await ask('/small.mp3')).task_status).toBe('completed')
  } finally {
    await server.kill('SIGKILL')
    Bun.spawnSync(['umount', '-l', disk])
  }
})
