// earshot models as a real process, against a hub on localhost that only the operator's setting makes reachable.

import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { CATALOGUE } from '../../src/engines/model-catalogue.ts'
import { sha256 } from '../../src/lib/id.ts'
import { earshot } from '../support/earshot.ts'
import { type ModelHub, startModelHub, testBytes } from '../support/model-hub.ts'
import { temporaryFolder } from '../support/temp.ts'

/** Its size is not published, so that a hub can serve a small file for it; its hash is. */
const ID = 'granite-4.0-micro-q4_k_m'
const model = CATALOGUE.find((entry) => entry.id === ID)
const FILE = model?.files[0]?.name ?? ''
const HUB_PATH = model?.files[0]?.path ?? ''
const CONTENT = testBytes(1_000_000, 1)

const hubArgs = (hub: ModelHub): string[] => ['--model-hub', hub.url]

test('list shows what is known, installed and recommended, for people and for programs', async () => {
  using folder = temporaryFolder()
  const { stdout, exitCode } = await earshot(['models', 'list'], { cwd: folder.path })
  expect(exitCode).toBe(0)
  expect(stdout).toMatch(/^moonshine-tiny-en +speech +en +- +MIT +embedded, in use/m)
  expect(stdout).toMatch(/^whisper-tiny-q8_0 +speech +many +44 MB +MIT +-/m)
  const records = JSON.parse((await earshot(['models', 'list', '--json'], { cwd: folder.path })).stdout)
  expect(records).toHaveLength(CATALOGUE.length)
  expect(records[0]).toMatchObject({ id: 'moonshine-tiny-en', state: 'embedded', in_use: true })
  expect(existsSync(join(folder.path, 'data', 'models'))).toBe(false)
})

describe('pull', () => {
  test('reaches the configured hub although it is private, and refuses wrong bytes', async () => {
    using folder = temporaryFolder()
    await using hub = await startModelHub()
    hub.entries.set(HUB_PATH, { content: CONTENT })
    const { exitCode, stdout, stderr } = await earshot(['models', 'pull', ID, ...hubArgs(hub)], {
      cwd: folder.path,
    })
    expect({ exitCode, stdout }).toEqual({ exitCode: 1, stdout: '' })
    expect(stderr).toContain(`${FILE}: 1.0 MB of 1.0 MB (100%)`)
    expect(stderr).toContain(`got ${sha256(CONTENT)}`)
    expect(hub.requests).toHaveLength(1)
  })

  test('does not follow a redirect of the hub to another private host', async () => {
    using folder = temporaryFolder()
    await using hub = await startModelHub()
    await using neighbour = await startModelHub()
    neighbour.entries.set('secret', { content: CONTENT })
    hub.entries.set(HUB_PATH, { content: CONTENT, redirectTo: `${neighbour.url}/secret` })
    const { exitCode, stderr } = await earshot(['models', 'pull', ID, ...hubArgs(hub)], { cwd: folder.path })
    expect(exitCode).toBe(1)
    expect(stderr).toContain('private or local address')
    expect(neighbour.requests).toEqual([])
  })

  test('says what to do when a mirror lacks a file', async () => {
    using folder = temporaryFolder()
    await using hub = await startModelHub()
    const { exitCode, stderr } = await earshot(['models', 'pull', ID, ...hubArgs(hub)], { cwd: folder.path })
    expect(exitCode).toBe(1)
    expect(stderr).toContain(`The hub has no ${hub.url}/${HUB_PATH}`)
    expect(stderr).toContain('models import FILE')
  })

  test('refuses when offline and for unknown models, before anything is fetched', async () => {
    using folder = temporaryFolder()
    await using hub = await startModelHub()
    const offline = await earshot(['models', 'pull', ID, '--offline', ...hubArgs(hub)], { cwd: folder.path })
    expect(offline).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('EARSHOT_OFFLINE') })
    const unknown = await earshot(['models', 'pull', ID, 'nope', ...hubArgs(hub)], { cwd: folder.path })
    expect(unknown).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('no model "nope"') })
    expect((await earshot(['models', 'pull'], { cwd: folder.path })).exitCode).toBe(2)
    expect(hub.requests).toEqual([])
  })

  test('ends in order on Ctrl-C, and the next one resumes', async () => {
    using folder = temporaryFolder()
    await using hub = await startModelHub()
    const entry = { content: CONTENT, etag: '"1"', holdAfter: 400_000 as number | undefined }
    hub.entries.set(HUB_PATH, entry)
    const main = join(import.meta.dir, '../../src/main.ts')
    const child = Bun.spawn([process.execPath, main, 'models', 'pull', ID, ...hubArgs(hub)], {
      cwd: folder.path,
      stderr: 'pipe',
    })
    const reader = child.stderr.getReader()
    const decoder = new TextDecoder()
    let said = decoder.decode((await reader.read()).value)
    child.kill('SIGINT')
    for (let read = await reader.read(); !read.done; read = await reader.read())
      said += decoder.decode(read.value)
    expect(await child.exited).toBe(1)
    expect(said).toContain('Stopped. Run the same command again')
    const partial = readFileSync(join(folder.path, 'data/models', ID, `${FILE}.partial`)).byteLength
    entry.holdAfter = undefined
    await earshot(['models', 'pull', ID, ...hubArgs(hub)], { cwd: folder.path })
    expect(hub.requests.at(-1)).toMatchObject({ range: `bytes=${partial}-`, ifRange: '"1"' })
  })
})

test('verify says plainly which file is wrong, and fails; remove takes it away', async () => {
  using folder = temporaryFolder()
  const cwd = folder.path
  expect((await earshot(['models', 'verify'], { cwd })).stdout).toBe('No models are installed.\n')
  folder.write(`data/models/${ID}/${FILE}`, CONTENT)
  const { exitCode, stdout, stderr } = await earshot(['models', 'verify', ID], { cwd })
  expect(exitCode).toBe(1)
  expect(stdout).toContain(`WRONG   ${ID}`)
  expect(stdout).toContain(`got ${sha256(CONTENT)}`)
  expect(stderr).toContain('1 of 1 files')
  expect((await earshot(['models', 'use', ID], { cwd })).stderr).toContain(`models pull ${ID}`)
  expect((await earshot(['models', 'remove', ID], { cwd })).exitCode).toBe(0)
  expect(existsSync(join(cwd, 'data/models', ID))).toBe(false)
})

test('import refuses what it does not know and lists what it would take', async () => {
  using folder = temporaryFolder()
  const path = folder.write('ggml-tiny-q8_0.bin', CONTENT)
  const { exitCode, stderr } = await earshot(['models', 'import', path], { cwd: folder.path })
  expect(exitCode).toBe(1)
  expect(stderr).toContain('ggml-tiny-q8_0.bin  (whisper-tiny-q8_0)')
})

test('a model that a manifest describes can be verified and used, and a setting still wins', async () => {
  using folder = temporaryFolder()
  const cwd = folder.path
  const manifest = {
    id: 'mine',
    task: 'speech',
    format: 'whisper-ggml',
    languages: ['en'],
    sha256: sha256(CONTENT),
  }
  folder.write('shared/mine.bin', CONTENT)
  folder.write('shared/mine.bin.json', JSON.stringify(manifest))
  const shared = ['--models', join(cwd, 'shared')]
  expect((await earshot(['models', 'verify', 'mine', ...shared], { cwd })).stdout).toStartWith('ok      mine')
  const used = await earshot(['models', 'use', 'mine', ...shared, '--speech-model', 'moonshine-tiny-en'], {
    cwd,
  })
  expect(used.stdout).toBe('mine is now the default for speech.\n')
  expect(used.stderr).toContain('EARSHOT_SPEECH_MODEL is moonshine-tiny-en and still decides')
  expect((await earshot(['models', 'list', ...shared], { cwd })).stdout).toMatch(/^mine .*installed, in use/m)
  expect((await earshot(['models', 'use', 'auto'], { cwd })).exitCode).toBe(0)
  expect((await earshot(['models', 'list', ...shared], { cwd })).stdout).toMatch(
    /^moonshine.*embedded, in use/m,
  )
})
