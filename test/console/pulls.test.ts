// Models in the console: downloads in the background of the server, from a hub on localhost that misbehaves on request.

import { afterEach, beforeEach, expect, test } from 'bun:test'
import { CATALOGUE } from '../../src/engines/model-catalogue.ts'
import { createModels } from '../../src/engines/models.ts'
import { createPulls, type Pull, type Pulls } from '../../src/console/pulls.ts'
import { type ConsoleServer, startConsole } from '../support/console-client.ts'
import { type ModelHub, startModelHub, testBytes, testModel } from '../support/model-hub.ts'

const CONTENT = testBytes(300_000, 1)
const MODELS = ['first', 'second'].map((id) => testModel(id, { 'weights.bin': { content: CONTENT } }))

let hub: ModelHub
let server: ConsoleServer
let pulls: Pulls

beforeEach(async () => {
  hub = await startModelHub()
  for (const { id } of MODELS) hub.entries.set(`${id}/weights.bin`, { content: CONTENT })
  server = await startConsole({ env: { EARSHOT_MODEL_HUB: hub.url } })
  const { app } = server
  const models = createModels({ config: app.config, log: app.log, catalogue: [...CATALOGUE, ...MODELS] })
  pulls = createPulls({ ...app, engines: { ...app.engines, models } })
})
afterEach(async () => {
  await server.close()
  await hub[Symbol.asyncDispose]()
})

async function until(id: string, isDone: (pull: Pull) => boolean): Promise<Pull> {
  for (;;) {
    const pull = pulls.find(id)
    if (pull && isDone(pull)) return pull
    await Bun.sleep(5)
  }
}

const hasEnded = ({ state }: Pull): boolean => state !== 'waiting' && state !== 'running'

test('a model is fetched, checked and there, and asking twice fetches once', async () => {
  expect(await pulls.start('first')).toMatchObject({ state: 'waiting', receivedBytes: 0 })
  await pulls.start('first')
  expect(await until('first', hasEnded)).toMatchObject({
    state: 'completed',
    receivedBytes: CONTENT.length,
    totalBytes: CONTENT.length,
  })
  expect(hub.requests).toHaveLength(1)
})

test('downloads take turns; one that is stopped keeps what has come and goes on from there', async () => {
  const entry = { content: CONTENT, etag: '"1"', holdAfter: 100_000 }
  hub.entries.set('first/weights.bin', entry)
  await pulls.start('first')
  await pulls.start('second')
  await until('first', ({ receivedBytes }) => receivedBytes === 100_000)
  expect(pulls.find('second')).toMatchObject({ state: 'waiting' })
  pulls.cancel('first')
  expect(await until('first', hasEnded)).toMatchObject({ state: 'cancelled' })
  expect(await until('second', hasEnded)).toMatchObject({ state: 'completed' })
  hub.entries.set('first/weights.bin', { content: CONTENT, etag: '"1"' })
  await pulls.start('first')
  expect(await until('first', hasEnded)).toMatchObject({ state: 'completed' })
  expect(hub.requests.at(-1)?.range).toBe('bytes=100000-')
})

test('a download that fails says why', async () => {
  hub.entries.set('first/weights.bin', { content: CONTENT, status: 404 })
  await pulls.start('first')
  const { state, message } = await until('first', hasEnded)
  expect(state).toBe('failed')
  expect(message).toContain('The hub has no')
})

test('stopping the server stops downloads', async () => {
  hub.entries.set('first/weights.bin', { content: CONTENT, holdAfter: 10 })
  await pulls.start('first')
  await until('first', ({ state }) => state === 'running')
  server.app.signals.stopping.emit({})
  expect(await until('first', hasEnded)).toMatchObject({ state: 'cancelled' })
})

test('the operator lists, chooses and removes models, and hears what cannot be', async () => {
  const client = server.client()
  await client.signIn()
  const ask = (method: string, path: string, body?: unknown) =>
    client.request(method, `/console/api/models${path}`, body === undefined ? {} : { body })
  const { body } = await ask('GET', '')
  expect(body.data.hub).toBe(hub.url)
  expect(body.data.models).toHaveLength(CATALOGUE.length)
  expect(body.data.models[0]).toMatchObject({
    id: 'moonshine-tiny-en',
    state: 'embedded',
    in_use: true,
    pull: null,
  })
  expect(body.data.choices).toContainEqual({
    task: 'speech',
    model: 'moonshine-tiny-en',
    why: 'best',
    fault: null,
  })

  const used = await ask('POST', '/use', { model: 'moonshine-tiny-en' })
  expect(used.body.data.choices).toContainEqual(expect.objectContaining({ task: 'speech', why: 'used' }))
  const auto = await ask('POST', '/use', { task: 'speech' })
  expect(auto.body.data.choices).toContainEqual(expect.objectContaining({ task: 'speech', why: 'best' }))

  const refusals = [
    await ask('POST', '/use', {}),
    await ask('POST', '/use', { model: 'whisper-tiny-q8_0' }),
    await ask('POST', '/nonsense/pull'),
    await ask('DELETE', '/whisper-tiny-q8_0/pull'),
    await ask('DELETE', '/whisper-tiny-q8_0'),
    await ask('DELETE', '/moonshine-tiny-en'),
  ]
  expect(refusals.map(({ status }) => status)).toEqual([400, 404, 404, 404, 404, 400])
})
