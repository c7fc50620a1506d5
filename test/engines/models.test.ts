// What is installed, which model is chosen, import by hash, verify, remove: on real folders with small files.

import { describe, expect, test } from 'bun:test'
import { appendFileSync, cpSync, existsSync, readFileSync, rmSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import type { Model } from '../../src/engines/model-catalogue.ts'
import { bestOf, recommend } from '../../src/engines/model-choice.ts'
import { createModels, type Models, type ModelsOptions } from '../../src/engines/models.ts'
import { sha256 } from '../../src/lib/id.ts'
import { silentLog } from '../../src/lib/log.ts'
import { testBytes, testModel } from '../support/model-hub.ts'
import { temporaryFolder } from '../support/temp.ts'

const SMALL = testBytes(30_000, 1)
const LARGE = testBytes(60_000, 2)
const GRAPH = testBytes(5_000, 3)
const TOKENS = testBytes(4_000, 4)
const EXTRA = testBytes(100, 5)

const CATALOGUE: readonly Model[] = [
  testModel('built-in', {}, { embedded: true, rank: 1, languages: ['en'] }),
  testModel('small', { 'ggml-small.bin': { content: SMALL } }, { rank: 20 }),
  testModel('large', { 'ggml-large.bin': { content: LARGE } }, { rank: 30 }),
  testModel(
    'words',
    {
      'onnx/graph.onnx': { content: GRAPH },
      'tokens.json': { content: TOKENS },
      'config.json': { content: EXTRA, publish: false },
    },
    { task: 'embedding' },
  ),
]

function modelsIn(dataDir: string, config: Partial<ModelsOptions['config']> = {}): Models {
  const defaults = {
    dataDir,
    modelDirs: [],
    speechModel: 'auto',
    embeddingModel: 'auto',
    rerankModel: 'auto',
    llmModel: 'auto',
    llmUrl: undefined,
    modelHub: undefined,
    offline: true,
  }
  return createModels({ config: { ...defaults, ...config }, log: silentLog(), catalogue: CATALOGUE })
}

const ids = (models: readonly { readonly id: string }[]): string[] => models.map((model) => model.id)

describe('what is installed', () => {
  test('is what has the right hash, in the writable and in the read-only folders, by id or by file name', async () => {
    using data = temporaryFolder()
    using shared = temporaryFolder()
    const models = modelsIn(data.path, { modelDirs: [join(shared.path, 'absent'), shared.path] })
    expect(ids(await models.installed())).toEqual(['built-in'])
    data.write('models/small/ggml-small.bin', SMALL)
    shared.write('ggml-large.bin', LARGE)
    expect(ids(await models.installed('speech'))).toEqual(['built-in', 'small', 'large'])
    expect(await models.path('large')).toBe(join(shared.path, 'ggml-large.bin'))
    expect(await models.path('small')).toBe(join(data.path, 'models/small/ggml-small.bin'))
  })

  test('never a file with other bytes, also when the right ones were there before', async () => {
    using data = temporaryFolder()
    const models = modelsIn(data.path)
    const path = data.write('models/small/ggml-small.bin', testBytes(30_000, 99))
    expect(ids(await models.installed())).toEqual(['built-in'])
    data.write('models/small/ggml-small.bin', SMALL)
    expect(ids(await models.installed())).toEqual(['built-in', 'small'])
    appendFileSync(path, 'x')
    expect(ids(await models.installed())).toEqual(['built-in'])
    expect(models.path('small')).rejects.toThrow('models pull small')
  })

  test('is hashed once: a file that looks unchanged is not read again', async () => {
    using data = temporaryFolder()
    const path = data.write('models/small/ggml-small.bin', SMALL)
    utimesSync(path, 1_000, 1_000)
    await modelsIn(data.path).installed()
    // Same size, time and inode, other bytes: only a full check can see it.
    await Bun.write(path, testBytes(30_000, 99))
    utimesSync(path, 1_000, 1_000)
    const models = modelsIn(data.path)
    expect(ids(await models.installed())).toEqual(['built-in', 'small'])
    const [checked] = await models.verify('small')
    expect(checked).toMatchObject({ ok: false, expected: sha256(SMALL), got: sha256(testBytes(30_000, 99)) })
    expect(ids(await models.installed())).toEqual(['built-in'])
  })

  test('keeps the event loop turning while a large file is hashed', async () => {
    using data = temporaryFolder()
    data.write('models/small/ggml-small.bin', SMALL)
    const big = new Uint8Array(64 * 1_048_576)
    const model = testModel('big', { 'big.bin': { content: big } })
    data.write('models/big/big.bin', big)
    let turns = 0
    const timer = setInterval(() => turns++, 0)
    const config = {
      dataDir: data.path,
      modelDirs: [],
      speechModel: 'auto',
      embeddingModel: 'auto',
      rerankModel: 'auto',
      llmModel: 'auto',
      llmUrl: undefined,
      modelHub: undefined,
      offline: true,
    }
    const models = createModels({ config, log: silentLog(), catalogue: [model] })
    expect(await models.installed()).toHaveLength(1)
    clearInterval(timer)
    // Hashing in one go would leave one turn or two, before and after it.
    expect(turns).toBeGreaterThan(3)
  })
})

describe('models that a manifest describes', () => {
  const manifest = {
    id: 'mine',
    task: 'speech',
    format: 'whisper-ggml',
    languages: ['en'],
    sha256: sha256(LARGE),
  }

  test('are usable by id, from model.json or beside the file, and never chosen by themselves', async () => {
    using data = temporaryFolder()
    using shared = temporaryFolder()
    shared.write('one.bin', LARGE)
    shared.write('one.bin.json', JSON.stringify(manifest))
    shared.write('sub/two.bin', SMALL)
    const files = [{ name: 'two.bin', sha256: sha256(SMALL) }]
    shared.write('sub/model.json', JSON.stringify({ ...manifest, id: 'other', files }))
    shared.write('catalogue.json', '[]')
    const modelDirs = [shared.path]
    const models = modelsIn(data.path, { modelDirs })
    expect(ids(await models.installed('speech'))).toEqual(['built-in', 'mine', 'other'])
    expect((await models.choose('speech')).id).toBe('built-in')
    const chosen = await modelsIn(data.path, { modelDirs, speechModel: 'other' }).choose('speech')
    expect(chosen).toMatchObject({ id: 'other', why: 'configured', path: join(shared.path, 'sub/two.bin') })
  })

  test('are refused with a wrong hash, a path out of the folder, or the id of a catalogue model', async () => {
    using data = temporaryFolder()
    using shared = temporaryFolder()
    shared.write('one.bin', SMALL)
    shared.write('one.bin.json', JSON.stringify(manifest))
    shared.write('secret.bin', LARGE)
    const outside = [{ name: '../secret.bin', sha256: sha256(LARGE) }]
    shared.write('a/model.json', JSON.stringify({ ...manifest, id: 'outside', files: outside }))
    shared.write('b/fake.bin', SMALL)
    const fake = [{ name: 'fake.bin', sha256: sha256(SMALL) }]
    shared.write('b/model.json', JSON.stringify({ ...manifest, id: 'large', files: fake }))
    const models = modelsIn(data.path, { modelDirs: [shared.path] })
    expect(ids(await models.installed())).toEqual(['built-in'])
  })

  test('include the demo model of this repository, when its folder is named', async () => {
    using data = temporaryFolder()
    const folder = join(import.meta.dir, '../../models/demo-whisper')
    const models = modelsIn(data.path, { modelDirs: [folder], speechModel: 'whisper-demo-en' })
    const model = await models.find('whisper-demo-en')
    expect(model).toMatchObject({ task: 'speech', format: 'whisper-ggml', rank: 0 })
    const weights = join(folder, model?.files[0]?.name ?? '')
    if (existsSync(weights)) expect((await models.choose('speech')).path).toBe(weights)
  })
})

describe('the choice of a speech model', () => {
  test('is the built-in one until a better one is installed, without a restart', async () => {
    using data = temporaryFolder()
    const models = modelsIn(data.path)
    expect(await models.choose('speech')).toMatchObject({ id: 'built-in', why: 'best', path: undefined })
    data.write('models/small/ggml-small.bin', SMALL)
    expect((await models.choose('speech')).id).toBe('small')
    data.write('models/large/ggml-large.bin', LARGE)
    expect((await models.choose('speech')).id).toBe('large')
    rmSync(join(data.path, 'models/large'), { recursive: true })
    expect((await models.choose('speech')).id).toBe('small')
  })

  test('is what "use" named, for other processes too, and again the best one when that is gone', async () => {
    using data = temporaryFolder()
    const models = modelsIn(data.path)
    const server = modelsIn(data.path)
    data.write('models/small/ggml-small.bin', SMALL)
    data.write('models/large/ggml-large.bin', LARGE)
    await models.use('small')
    expect(await server.choose('speech')).toMatchObject({ id: 'small', why: 'used' })
    await models.remove('small')
    expect(await server.choose('speech')).toMatchObject({ id: 'large', why: 'best' })
    expect(models.use('small')).rejects.toThrow('models pull small')
    models.clearUse('speech')
    expect((await models.choose('speech')).id).toBe('large')
  })

  test('is the configured one, and says what to pull when that is not there', async () => {
    using data = temporaryFolder()
    data.write('models/large/ggml-large.bin', LARGE)
    await modelsIn(data.path).use('large')
    expect((await modelsIn(data.path, { speechModel: 'built-in' }).choose('speech')).id).toBe('built-in')
    const missing = modelsIn(data.path, { speechModel: 'small' })
    expect(missing.choose('speech')).rejects.toThrow(
      '"small", which is not installed. Run "earshot models pull small"',
    )
    expect(modelsIn(data.path, { speechModel: 'no' }).choose('speech')).rejects.toThrow('which is no model')
    expect(modelsIn(data.path, { speechModel: 'words' }).choose('speech')).rejects.toThrow('for embedding')
    expect((await missing.list()).map((entry) => entry.state)).toEqual([
      'embedded',
      'absent',
      'installed',
      'absent',
    ])
    expect(missing.choose('llm')).rejects.toThrow('No model for llm')
  })

  test('goes by rank among those that fit the machine, then by weight among those that do not', () => {
    const model = (id: string, rank: number, coresMin: number, memoryBytes: number): Model =>
      testModel(id, {}, { rank, coresMin, memoryBytes })
    const models = [
      model('a', 10, 1, 100),
      model('b', 30, 4, 300),
      model('c', 20, 2, 200),
      model('d', 0, 1, 1),
    ]
    expect(bestOf(models, { cores: 8, memoryBytes: 1_000 })?.id).toBe('b')
    expect(bestOf(models, { cores: 2, memoryBytes: 1_000 })?.id).toBe('c')
    expect(bestOf(models, { cores: 8, memoryBytes: 200 })?.id).toBe('a')
    expect(
      bestOf([model('b', 30, 4, 300), model('x', 40, 8, 400)], { cores: 1, memoryBytes: 1_000 })?.id,
    ).toBe('b')
    expect(bestOf([model('b', 30, 4, 300)], { cores: 8, memoryBytes: 100 })).toBeUndefined()
    expect(recommend(models, { cores: 2, memoryBytes: 1_000 })).toEqual({ speech: 'c' })
  })
})

describe('import', () => {
  test('knows a file by its hash, whatever it is called, and puts it into place', async () => {
    using data = temporaryFolder()
    using stick = temporaryFolder()
    const models = modelsIn(data.path)
    const result = await models.importFrom(stick.write('download (3).tmp', SMALL))
    expect(result).toMatchObject({ imported: [{ modelId: 'small', present: false }], unknown: [] })
    expect(sha256(readFileSync(await models.path('small')))).toBe(sha256(SMALL))
    const again = await models.importFrom(stick.path)
    expect(again.imported).toMatchObject([{ modelId: 'small', present: true }])
  })

  test('takes a folder: all it knows, with the files that have no published hash beside them', async () => {
    using data = temporaryFolder()
    using stick = temporaryFolder()
    stick.write('e5/onnx/graph.onnx', GRAPH)
    stick.write('e5/tokens.json', TOKENS)
    stick.write('e5/config.json', EXTRA)
    stick.write('elsewhere/config.json', 'other')
    stick.write('readme.txt', 'hello')
    const models = modelsIn(data.path)
    const { imported, unknown } = await models.importFrom(stick.path)
    expect(imported.map((file) => [file.fileName, file.pinned])).toEqual([
      ['onnx/graph.onnx', false],
      ['tokens.json', false],
      ['config.json', true],
    ])
    expect(unknown).toEqual([join(stick.path, 'elsewhere/config.json'), join(stick.path, 'readme.txt')])
    const [words] = await models.installed('embedding')
    expect(words).toMatchObject({ id: 'words', folder: join(data.path, 'models/words') })
    expect(readFileSync(join(words?.folder ?? '', 'config.json'))).toEqual(Buffer.from(EXTRA))
  })

  test('refuses what it does not know, and says what it would take', async () => {
    using data = temporaryFolder()
    using stick = temporaryFolder()
    const models = modelsIn(data.path)
    const error = await models.importFrom(stick.write('ggml-small.bin', LARGE.subarray(1))).catch(String)
    expect(error).toContain('ggml-large.bin  (large)')
    expect(error).not.toContain('config.json')
    expect(await models.importFrom(join(stick.path, 'nothing')).catch(String)).toContain(
      'There is no file or folder',
    )
    expect(existsSync(join(data.path, 'models'))).toBe(false)
  })
})

describe('verify and remove', () => {
  test('verify checks every copy, and has nothing to say about what is not there', async () => {
    using data = temporaryFolder()
    using shared = temporaryFolder()
    const models = modelsIn(data.path, { modelDirs: [shared.path] })
    expect(await models.verify()).toEqual([])
    expect(models.verify('small')).rejects.toThrow('not installed')
    expect(await models.verify('built-in')).toEqual([])
    data.write('models/small/ggml-small.bin', SMALL)
    shared.write('ggml-small.bin', LARGE)
    expect((await models.verify('small')).map((file) => file.ok)).toEqual([true, false])
    expect((await models.installed('speech')).length).toBe(2)
  })

  test('remove deletes what is ours and names what is not', async () => {
    using data = temporaryFolder()
    using shared = temporaryFolder()
    const models = modelsIn(data.path, { modelDirs: [shared.path] })
    data.write('models/small/ggml-small.bin', SMALL)
    expect(await models.remove('small')).toEqual([join(data.path, 'models/small/ggml-small.bin')])
    expect(ids(await models.installed())).toEqual(['built-in'])
    expect(models.remove('small')).rejects.toThrow('not installed')
    expect(models.remove('built-in')).rejects.toThrow('built in')
    const theirs = shared.write('ggml-large.bin', LARGE)
    expect(models.remove('large')).rejects.toThrow(theirs)
    expect(existsSync(theirs)).toBe(true)
  })
})

test('a folder of models can be carried to another machine as it is', async () => {
  using data = temporaryFolder()
  using other = temporaryFolder()
  data.write('models/small/ggml-small.bin', SMALL)
  await modelsIn(data.path).use('small')
  cpSync(join(data.path, 'models'), join(other.path, 'models'), { recursive: true })
  expect(await modelsIn(other.path).choose('speech')).toMatchObject({ id: 'small', why: 'used' })
})
