// The compiled binary runs language models with the libraries it carries, far from this checkout.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, truncateSync } from 'node:fs'
import { join } from 'node:path'
import { type Child, createChild } from '../../src/engines/child.ts'
import { LLAMA_ENV } from '../../src/engines/llm/llama-wire.ts'
import { silentLog } from '../../src/lib/log.ts'
import { Problem } from '../../src/lib/problem.ts'
import { copyElsewhere, type Elsewhere } from '../support/elsewhere.ts'
import { writeTinyLlm } from '../support/tiny-llm.ts'

let elsewhere: Elsewhere
let modelPath = ''
const children: Child[] = []

beforeAll(async () => {
  elsewhere = await copyElsewhere()
  modelPath = writeTinyLlm(elsewhere.folder).path ?? ''
})
afterAll(async () => {
  await Promise.all(children.map((child) => child.close()))
  elsewhere[Symbol.dispose]()
})

function start(cache: string, noexec?: string): Child {
  const child = createChild({
    name: 'Language model',
    command: () => elsewhere.command(['engine', 'llama'], noexec),
    env: {
      [LLAMA_ENV.cacheDir]: cache,
      [LLAMA_ENV.threads]: '1',
      [LLAMA_ENV.model]: modelPath,
      [LLAMA_ENV.contextTokens]: '2048',
    },
    code: 'extraction_failed',
    idleMs: 60_000,
    startTimeoutMs: 60_000,
    log: silentLog(),
  })
  children.push(child)
  return child
}

async function answerOf(child: Child): Promise<string> {
  const grammar = 'root ::= "{\\"n\\":" [1-9] [0-9]{0,2} "}"'
  const texts = { system: 'Answer.', prefix: 'Any', task: 'number.' }
  const { header } = await child.request({ op: 'write', ...texts, grammar, maxTokens: 20, temperature: 0 })
  return String(header['text'])
}

test('answers within a grammar, extracts its libraries once, and again when one is damaged', async () => {
  const cache = join(elsewhere.folder.path, 'cache')
  const answer = await answerOf(start(cache))
  expect(answer).toMatch(/^\{"n":[1-9]\d{0,2}\}$/)
  const list = (): string[] => readdirSync(cache, { recursive: true, encoding: 'utf8' }).toSorted()
  const files = list()
  expect(files.some((name) => name.endsWith('.tmp'))).toBe(false)
  truncateSync(join(cache, files.find((name) => name.endsWith('libggml-base.so')) ?? ''), 1_000)
  expect(await answerOf(start(cache))).toBe(answer)
  expect(list()).toEqual(files)
}, 60_000)

test('says what to do when its folder does not allow programs to run', async () => {
  if (elsewhere.notHidden !== undefined) {
    console.warn(`A noexec folder can't be made here: ${elsewhere.notHidden}`)
    return
  }
  const cache = join(elsewhere.folder.path, 'noexec')
  mkdirSync(cache)
  const error = await answerOf(start(cache, cache)).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(Problem)
  expect((error as Problem).message).toContain('EARSHOT_DATA')
}, 60_000)
