// Pulling models from a hub that breaks in every way: what is installed always has the right hash.

import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Model } from '../../src/engines/model-catalogue.ts'
import { checkSpace } from '../../src/engines/model-pull.ts'
import { createModels, type Models } from '../../src/engines/models.ts'
import { sha256 } from '../../src/lib/id.ts'
import { silentLog } from '../../src/lib/log.ts'
import {
  type HubRequest,
  type ModelHub,
  plainFetch,
  startModelHub,
  testBytes,
  testModel,
} from '../support/model-hub.ts'
import { temporaryFolder } from '../support/temp.ts'

const CONTENT = testBytes(3_000_000, 1)
const MODEL = testModel('tiny-test', { 'tiny.bin': { content: CONTENT } })
const PATH = 'tiny-test/tiny.bin'

const pulling = { fetch: plainFetch, retryWaitsMs: [1, 1] }

const startOf = (request: HubRequest | undefined): number =>
  Number(/\d+/.exec(request?.range ?? '')?.[0] ?? 0)

function modelsIn(
  dataDir: string,
  hub: Pick<ModelHub, 'url'>,
  catalogue: readonly Model[] = [MODEL],
): Models {
  const config = {
    dataDir,
    modelDirs: [],
    speechModel: 'auto',
    embeddingModel: 'auto',
    rerankModel: 'auto',
    llmModel: 'auto',
    llmUrl: undefined,
    modelHub: hub.url,
    offline: false,
  }
  return createModels({ config, log: silentLog(), catalogue })
}

describe('pull', () => {
  test('fetches a model, checks it, and reports its progress', async () => {
    using folder = temporaryFolder()
    await using hub = await startModelHub()
    hub.entries.set(PATH, { content: CONTENT, etag: '"1"' })
    const models = modelsIn(folder.path, hub)
    const progress: number[] = []
    const onProgress = ({ receivedBytes }: { receivedBytes: number }): number => progress.push(receivedBytes)
    const [file] = await models.pull('tiny-test', { ...pulling, onProgress })
    expect(file).toMatchObject({ fetched: true, pinned: false, sha256: sha256(CONTENT) })
    expect(sha256(readFileSync(file?.path ?? ''))).toBe(sha256(CONTENT))
    expect(progress.at(-1)).toBe(CONTENT.byteLength)
    expect(progress).toEqual(progress.toSorted((a, b) => a - b))
    expect((await models.installed()).map((model) => model.id)).toEqual(['tiny-test'])
    const again = await models.pull('tiny-test', pulling)
    expect(again[0]?.fetched).toBe(false)
    expect(hub.requests).toHaveLength(1)
  })

  test('resumes within one call when the connection is cut, and asks only for what is missing', async () => {
    using folder = temporaryFolder()
    await using hub = await startModelHub()
    hub.entries.set(PATH, { content: CONTENT, etag: '"1"', cuts: [1_000_000, 500_000] })
    await modelsIn(folder.path, hub).pull('tiny-test', pulling)
    const starts = hub.requests.map(startOf)
    expect(starts).toHaveLength(3)
    expect(starts[0]).toBe(0)
    expect(starts[1]).toBeWithin(1, 1_000_001)
    expect(starts[2]).toBeWithin(starts[1] ?? 0, 1_500_001)
    expect(hub.requests.map((request) => request.ifRange)).toEqual([undefined, '"1"', '"1"'])
    expect(hub.requests.at(-1)?.sentBytes).toBe(CONTENT.byteLength - (starts[2] ?? 0))
  })

  test('gives up after several cuts in a row, keeps the part, and a later call goes on from there', async () => {
    using folder = temporaryFolder()
    await using hub = await startModelHub()
    hub.entries.set(PATH, { content: CONTENT, cuts: [2_000_000, 0, 0, 0] })
    const models = modelsIn(folder.path, hub)
    expect(await models.pull('tiny-test', pulling).catch(String)).toContain('Run the same command again')
    expect(await models.installed()).toEqual([])
    const partialBytes = statSync(join(folder.path, 'models', `${PATH}.partial`)).size
    await models.pull('tiny-test', pulling)
    expect(partialBytes).toBeGreaterThan(0)
    expect(hub.requests.at(-1)?.range).toBe(`bytes=${partialBytes}-`)
    expect(await models.installed()).toHaveLength(1)
  })

  test('starts again when the file on the hub changed in between', async () => {
    using folder = temporaryFolder()
    await using hub = await startModelHub()
    const old = { content: testBytes(3_000_000, 2), etag: '"old"', cuts: [1_000_000, 0, 0, 0] }
    hub.entries.set(PATH, old)
    const models = modelsIn(folder.path, hub)
    expect(await models.pull('tiny-test', pulling).catch(String)).toContain('broke off')
    hub.entries.set(PATH, { content: CONTENT, etag: '"new"' })
    await models.pull('tiny-test', pulling)
    expect(hub.requests.at(-1)).toMatchObject({ ifRange: '"old"', sentBytes: CONTENT.byteLength })
  })

  test('refuses wrong bytes, says both hashes, and keeps nothing', async () => {
    using folder = temporaryFolder()
    await using hub = await startModelHub()
    const wrong = testBytes(3_000_000, 9)
    hub.entries.set(PATH, { content: wrong })
    const models = modelsIn(folder.path, hub)
    const error = await models.pull('tiny-test', pulling).catch(String)
    expect(error).toContain(`expected ${sha256(CONTENT)}, got ${sha256(wrong)}`)
    expect(existsSync(join(folder.path, 'models', 'tiny-test', 'tiny.bin'))).toBe(false)
    expect(existsSync(join(folder.path, 'models', 'tiny-test', 'tiny.bin.partial'))).toBe(false)
    hub.entries.set(PATH, { content: wrong.subarray(1) })
    expect(await models.pull('tiny-test', pulling).catch(String)).toContain(
      '2999999 bytes where the catalogue expects',
    )
    expect(await models.installed()).toEqual([])
  })

  test.each([
    [401, 'models import'],
    [403, 'models import'],
    [404, 'EARSHOT_MODEL_HUB'],
    [400, 'status 400'],
  ])('a hub that answers %d is final and says what to do', async (status, advice) => {
    using folder = temporaryFolder()
    await using hub = await startModelHub()
    hub.entries.set(PATH, { content: CONTENT, status })
    expect(await modelsIn(folder.path, hub).pull('tiny-test', pulling).catch(String)).toContain(advice)
    expect(hub.requests).toHaveLength(1)
  })

  test('tries again when the hub is overloaded', async () => {
    using folder = temporaryFolder()
    await using hub = await startModelHub()
    hub.entries.set(PATH, { content: CONTENT, status: 503 })
    const retries: string[] = []
    const options = { ...pulling, onRetry: (reason: string) => retries.push(reason) }
    expect(await modelsIn(folder.path, hub).pull('tiny-test', options).catch(String)).toContain('status 503')
    expect(hub.requests).toHaveLength(3)
    expect(retries).toHaveLength(2)
    expect(retries[0]).toContain('status 503')
  })

  test('follows redirects', async () => {
    using folder = temporaryFolder()
    await using hub = await startModelHub()
    hub.entries.set(PATH, { content: CONTENT, redirectTo: '/cdn/blob' })
    hub.entries.set('cdn/blob', { content: CONTENT, etag: '"x"', cuts: [1_000_000] })
    await modelsIn(folder.path, hub).pull('tiny-test', pulling)
    expect(hub.requests.map((request) => request.path)).toEqual([PATH, 'cdn/blob', PATH, 'cdn/blob'])
    expect(startOf(hub.requests.at(-1))).toBeGreaterThan(0)
    expect(await modelsIn(folder.path, hub).installed()).toHaveLength(1)
  })

  test('breaks off a transfer that brings nothing any more', async () => {
    using folder = temporaryFolder()
    await using hub = await startModelHub()
    hub.entries.set(PATH, { content: CONTENT, holdAfter: 100_000 })
    const stalled = { ...pulling, retryWaitsMs: [], stallMs: 50 }
    expect(await modelsIn(folder.path, hub).pull('tiny-test', stalled).catch(String)).toContain(
      'nothing came',
    )
  })

  test('stops when it is told to and resumes afterwards', async () => {
    using folder = temporaryFolder()
    await using hub = await startModelHub()
    const entry = { content: CONTENT, holdAfter: 1_000_000 as number | undefined }
    hub.entries.set(PATH, entry)
    const models = modelsIn(folder.path, hub)
    const stop = new AbortController()
    const onProgress = ({ receivedBytes }: { receivedBytes: number }): void => {
      if (receivedBytes === 1_000_000) stop.abort(new Error('stopped by the user'))
    }
    const options = { ...pulling, signal: stop.signal, onProgress }
    expect(await models.pull('tiny-test', options).catch(String)).toContain('stopped by the user')
    entry.holdAfter = undefined
    await models.pull('tiny-test', pulling)
    expect(hub.requests.at(-1)?.range).toBe('bytes=1000000-')
  })

  test('pins a file without a published hash and says so; a changed file is then noticed', async () => {
    using folder = temporaryFolder()
    await using hub = await startModelHub()
    const small = testBytes(500, 3)
    const model = testModel('pinned', { 'config.json': { content: small, publish: false } })
    hub.entries.set('pinned/config.json', { content: small })
    const models = modelsIn(folder.path, hub, [model])
    const [file] = await models.pull('pinned', pulling)
    expect(file).toMatchObject({ pinned: true, sha256: sha256(small) })
    expect(await models.installed()).toHaveLength(1)
    await Bun.write(file?.path ?? '', testBytes(500, 4))
    expect(await models.installed()).toEqual([])
    hub.entries.set('pinned/config.json', { content: testBytes(500, 4) })
    expect(await models.pull('pinned', pulling).catch(String)).toContain(`expected ${sha256(small)}`)
  })

  test('refuses when offline, for built-in models and for unknown ids, without a request', async () => {
    using folder = temporaryFolder()
    await using hub = await startModelHub()
    const builtIn = testModel('built-in', {}, { embedded: true })
    const config = {
      dataDir: folder.path,
      modelDirs: [],
      speechModel: 'auto',
      embeddingModel: 'auto',
      rerankModel: 'auto',
      llmModel: 'auto',
      llmUrl: undefined,
      modelHub: hub.url,
      offline: true,
    }
    const models = createModels({ config, log: silentLog(), catalogue: [MODEL, builtIn] })
    expect(await models.pull('tiny-test', pulling).catch(String)).toContain('EARSHOT_OFFLINE')
    expect(await models.pull('built-in', pulling).catch(String)).toContain('built in')
    expect(await models.pull('nonsense', pulling).catch(String)).toContain('There is no model "nonsense"')
    expect(hub.requests).toEqual([])
  })
})

test('a file that the disk cannot take is refused before it is fetched', async () => {
  using folder = temporaryFolder()
  const target = join(folder.path, 'file')
  expect(await checkSpace(target, 2 ** 60).catch(String)).toContain('EARSHOT_DATA')
  expect(await checkSpace(target, 1)).toBeUndefined()
})

describe('a pull that is killed', () => {
  test('holds the model until then, leaves nothing half installed, and is resumed by the next', async () => {
    using folder = temporaryFolder()
    await using hub = await startModelHub()
    const entry = { content: CONTENT, etag: '"1"', holdAfter: 2_000_000 as number | undefined }
    hub.entries.set(PATH, entry)
    const child = Bun.spawn(
      [process.execPath, join(import.meta.dir, '../support/pull-child.ts'), hub.url, folder.path],
      { stdin: new Blob([JSON.stringify(MODEL)]), stdout: 'pipe', stderr: 'inherit' },
    )
    const reader = child.stdout.getReader()
    let said = ''
    while (!said.includes('2000000\n')) said += new TextDecoder().decode((await reader.read()).value)

    const models = modelsIn(folder.path, hub)
    expect(await models.pull('tiny-test', pulling).catch(String)).toContain('Another process')
    child.kill('SIGKILL')
    await child.exited
    expect(await models.installed()).toEqual([])
    const partial = statSync(join(folder.path, 'models', 'tiny-test', 'tiny.bin.partial')).size
    expect(partial).toBe(2_000_000)

    entry.holdAfter = undefined
    await models.pull('tiny-test', pulling)
    expect(hub.requests.map((request) => request.range)).toEqual([undefined, `bytes=${partial}-`])
    expect(hub.requests.at(-1)?.sentBytes).toBe(CONTENT.byteLength - partial)
    expect(await models.installed()).toHaveLength(1)
  })
})

describe('the property that counts', () => {
  test('whatever cuts, wrong parts and changes a hub serves, an installed file has the published hash', async () => {
    await using hub = await startModelHub()
    let random = 7
    const next = (below: number): number => {
      random = (Math.imul(random, 1_103_515_245) + 12_345) >>> 0
      return (random >>> 8) % below
    }
    let installed = 0
    for (let round = 0; round < 60; round++) {
      using folder = temporaryFolder()
      const content = testBytes(20_000 + next(50_000), round)
      const model = testModel('any', { 'any.bin': { content } })
      const models = modelsIn(folder.path, hub, [model])
      for (let call = 0; call < 4; call++) {
        const wrong = next(3) === 0
        hub.entries.set('any/any.bin', {
          content: wrong ? testBytes(content.byteLength, 1_000 + round) : content,
          ...(next(2) === 0 ? { etag: next(2) === 0 ? '"a"' : 'W/"b"' } : {}),
          cuts: Array.from({ length: next(4) }, () => next(content.byteLength)),
          ignoreRanges: next(4) === 0,
        })
        await models.pull('any', { fetch: plainFetch, retryWaitsMs: [0] }).catch(() => undefined)
        for (const model of await models.installed()) {
          installed++
          expect(sha256(readFileSync(model.path ?? ''))).toBe(sha256(content))
        }
      }
    }
    expect(installed).toBeGreaterThan(60)
  })
})
