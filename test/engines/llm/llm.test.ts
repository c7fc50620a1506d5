// Which language model answers: a named server, a model on this machine, or none.

import { afterEach, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { readConfig } from '../../../src/config.ts'
import { createLlm, type Llm } from '../../../src/engines/llm/llm.ts'
import { prompt } from '../../../src/engines/llm/prompt.ts'
import { createModels } from '../../../src/engines/models.ts'
import { createGate } from '../../../src/lib/gate.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { t } from '../../../src/lib/schema.ts'
import { createLlmServer } from '../../support/llm-server.ts'
import { type TemporaryFolder, temporaryFolder } from '../../support/temp.ts'
import { TINY_LLM_ID, writeTinyLlm } from '../../support/tiny-llm.ts'

// Loading a model takes a second on an idle machine and many on a busy one.
setDefaultTimeout(60_000)

const open: { close(): Promise<void> }[] = []
const folders: TemporaryFolder[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((part) => part.close()))
  for (const folder of folders.splice(0)) folder[Symbol.dispose]()
})

function start(
  settings: Readonly<Record<string, string>> = {},
  installed = false,
): { llm: Llm; folder: TemporaryFolder } {
  const folder = temporaryFolder()
  folders.push(folder)
  if (installed) writeTinyLlm(folder)
  const config = readConfig({ EARSHOT_DATA: `${folder.path}/data`, EARSHOT_MODELS: folder.path, ...settings })
  const log = silentLog()
  const llm = createLlm({
    config,
    models: createModels({ config, log, catalogue: [] }),
    gate: createGate(1),
    log,
  })
  open.push(llm)
  return { llm, folder }
}

const ANSWER = { prefix: prompt``, prompt: prompt`Say it.`, schema: t.Object({ ok: t.Boolean() }) }

describe('the language model', () => {
  test('is none when there is none', async () => {
    expect(await start().llm.find()).toBeUndefined()
  })

  test('is the configured one of this machine, kept warm while the choice stays', async () => {
    const { llm } = start({ EARSHOT_LLM_MODEL: TINY_LLM_ID }, true)
    const model = await llm.find()
    expect(model?.engine).toEqual({ name: 'llama', model: TINY_LLM_ID })
    expect(await llm.find()).toBe(model)
    const { signal } = new AbortController()
    expect(typeof (await model?.generate({ ...ANSWER, signal }))?.value.ok).toBe('boolean')
  })

  test('that is configured but missing is a problem, not a silent fallback', async () => {
    await expect(start({ EARSHOT_LLM_MODEL: 'gone' }).llm.find()).rejects.toThrow(
      'EARSHOT_LLM_MODEL names "gone"',
    )
  })

  test('appears without a restart, and never by itself when only a manifest knows it', async () => {
    const { llm, folder } = start()
    expect(await llm.find()).toBeUndefined()
    writeTinyLlm(folder)
    expect(await llm.find()).toBeUndefined()
  })

  test('is that of the named server, whatever is installed', async () => {
    const server = createLlmServer()
    open.push(server)
    const { llm } = start(
      { EARSHOT_LLM_URL: server.url, EARSHOT_LLM_MODEL: 'big', EARSHOT_LLM_CONTEXT_TOKENS: '32000' },
      true,
    )
    const model = await llm.find()
    expect(model?.engine).toEqual({ name: 'openai', model: 'big' })
    expect(model?.contextTokens).toBe(32_000)
    const { signal } = new AbortController()
    expect((await model?.generate({ ...ANSWER, signal }))?.value).toEqual({ ok: true })
  })

  test('of a server has its key in a setting of its own, not in the URL', () => {
    const settings = { EARSHOT_LLM_URL: 'http://me:hush@127.0.0.1:1' }
    expect(() => readConfig(settings)).toThrow('EARSHOT_LLM_URL must not contain a user name or password')
  })

  test('of a server must be named', async () => {
    const { llm } = start({ EARSHOT_LLM_URL: 'http://127.0.0.1:1' })
    await expect(llm.find()).rejects.toThrow('EARSHOT_LLM_MODEL does not say which')
  })
})
