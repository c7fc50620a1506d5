// Which yt-dlp is used, and how it is started. What it fetches is tested in test/media.

import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, mkdirSync } from 'node:fs'
import { createYtdlp, OLDEST_YTDLP } from '../../src/engines/ytdlp.ts'
import { findYtdlp, type YtdlpConfig } from '../../src/engines/ytdlp-process.ts'
import { Problem } from '../../src/lib/problem.ts'
import { temporaryFolder } from '../support/make-media.ts'

setDefaultTimeout(60_000)

const folder = temporaryFolder()
afterAll(() => folder.remove())
const signal = new AbortController().signal
const PROXY = 'http://earshot:secret-word@127.0.0.1:9'
const config: YtdlpConfig = {
  ytdlpPath: undefined,
  dataDir: folder.path,
  extraCa: undefined,
  siteCookies: [],
}

/** A stand-in that is a shell script. */
async function script(name: string, body: string): Promise<string> {
  const path = folder.file(name)
  await Bun.write(path, `#!/bin/sh\n${body}\n`)
  chmodSync(path, 0o755)
  return path
}

async function problemOf(work: Promise<unknown>): Promise<Problem> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof Problem) return error
  throw new Error(`expected a Problem, not ${String(error)}`)
}

test('the one that set-up provided is found, starts and is new enough', async () => {
  const found = await createYtdlp(config, PROXY).version({ signal })
  expect(found && found.version >= OLDEST_YTDLP).toBe(true)
})

test("the setting wins over the operator's own, which wins over the one that came along", async () => {
  const path = await script('own', 'echo 2099.01.01')
  mkdirSync(folder.file('data/tools'), { recursive: true })
  const tool = await script('data/tools/yt-dlp', 'echo 2098.01.01')
  const dataDir = folder.file('data')
  expect(findYtdlp({ ...config, ytdlpPath: path, dataDir })).toBe(path)
  expect(findYtdlp({ ...config, dataDir })).toBe(tool)
  expect(await createYtdlp({ ...config, dataDir }, PROXY).version({ signal })).toMatchObject({
    version: '2098.01.01',
  })
})

test('one that does not start has no version, and fetching with it is a failure', async () => {
  const broken = { ...config, ytdlpPath: await script('broken', 'echo no >&2; exit 3') }
  expect(await createYtdlp(broken, PROXY).version({ signal })).toBeUndefined()
  const work = createYtdlp(broken, PROXY).metadata('https://a.example/', { signal, maxItems: 1 })
  expect((await problemOf(work)).code).toBe('metadata_fetch_failed')
})

test('its command line holds no credential, and ends with the URL behind --', async () => {
  const seen = folder.file('seen')
  const ytdlpPath = await script(
    'spy',
    `for a; do printf '%s\\n' "$a"; done > ${seen}; cat > ${seen}.stdin; echo '{"id":1}'`,
  )
  const { info } = await createYtdlp({ ...config, ytdlpPath }, PROXY).metadata('--exec=x', {
    signal,
    maxItems: 3,
  })
  expect(info).toEqual({ id: 1 })
  const args = (await Bun.file(seen).text()).trim().split('\n')
  expect(args.slice(-2)).toEqual(['--', '--exec=x'])
  expect(args).toContain('--ignore-config')
  expect(args.join(' ')).not.toContain('secret-word')
  expect(await Bun.file(`${seen}.stdin`).text()).toContain(`--proxy ${PROXY}\n`)
})

test('success without output, output without end and output that is no JSON are failures', async () => {
  for (const body of ['exit 0', 'echo "not json"', 'echo "[1]"', 'yes 12345678901234567890']) {
    const ytdlpPath = await script('odd', body)
    const work = createYtdlp({ ...config, ytdlpPath }, PROXY).metadata('https://a.example/', {
      signal,
      maxItems: 1,
    })
    expect((await problemOf(work)).code).toBe('metadata_fetch_failed')
  }
  const skipped = { ...config, ytdlpPath: await script('skip', 'exit 0') }
  const work = createYtdlp(skipped, PROXY).download('info.json', { folder: folder.path, maxBytes: 1, signal })
  expect((await problemOf(work)).code).toBe('metadata_fetch_failed')
})

test('what was just learned about a page is not asked for again, but for another number of items it is', async () => {
  const count = folder.file('count')
  const ytdlpPath = await script(
    'counting',
    `[ "$2" = --version ] && exit 1; echo x >> ${count}; cat > /dev/null; echo '{"id":1}'`,
  )
  const ytdlp = createYtdlp({ ...config, ytdlpPath }, PROXY)
  for (const maxItems of [1, 1, 2, 1]) await ytdlp.metadata('https://a.example/', { signal, maxItems })
  expect((await Bun.file(count).text()).split('x').length - 1).toBe(2)
})
