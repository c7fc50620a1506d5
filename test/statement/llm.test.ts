// A claim analysis by a language model, through the endpoint: what it is shown of the post, and above all what it is not
// shown when it judges the axes.

import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { type AnalysisBench, startAnalysisBench } from '../support/analysis.ts'
import { createLlmServer, type LlmServer } from '../support/llm-server.ts'
import { type PlatformSite, startPlatformSite } from '../support/platform-site.ts'
import { X_CLAIMS } from '../support/platforms/x-posts.ts'

setDefaultTimeout(60_000)

let site: PlatformSite
let llm: LlmServer
let bench: AnalysisBench

beforeAll(async () => {
  site = await startPlatformSite()
  llm = createLlmServer()
  bench = await startAnalysisBench({ ...site.env, EARSHOT_LLM_URL: llm.url, EARSHOT_LLM_MODEL: 'big' })
})
afterAll(async () => {
  await bench.close()
  await llm.close()
  await site.stop()
})

test('the axes are asked with the post’s own text alone; the claim with everything; one entry for both', async () => {
  await bench.know(`https://x.com/i/status/${X_CLAIMS.video}`, ['And so, my fellow Americans, ask not.'])
  const body = { post_id: X_CLAIMS.quoting, include_usage: true }
  const reply = await bench.skippingWaits(bench.call('POST', '/post/statement', body))
  expect(reply.status).toBe(200)
  const judging = llm.requests.filter(({ user }) => user.includes('Judge claim type'))
  const claiming = llm.requests.filter(({ user }) => user.includes('Say what the post claims'))
  expect([judging.length, claiming.length, llm.requests.length]).toEqual([1, 1, 2])
  // What the quoted post says, and what is said in its video.
  for (const foreign of ['great speech', 'fellow Americans']) {
    expect(claiming[0]?.user).toContain(foreign)
    expect(`${judging[0]?.system} ${judging[0]?.user}`).not.toContain(foreign)
  }
  expect(judging[0]?.user).toContain('I doubt that this is true.')
  expect(reply.body.data).toMatchObject({
    claim_type: 'factual_claim',
    post_text: 'I doubt that this is true.',
  })
  expect(reply.body.engine).toMatchObject({ name: 'openai', model: 'big' })
  expect(reply.body.usage.charges).toContainEqual({
    service_type: 'analysis_request',
    quantity: 1,
    credits: 0.01,
    waived: false,
    credits_saved: 0,
    tokens: { prompt_tokens: 240, completion_tokens: 68, total_tokens: 308 },
  })
})

test('long videos are summed up, each by itself, and a summary is made once', async () => {
  const talk = `https://x.com/i/status/${X_CLAIMS.talk}`
  await bench.know(
    talk,
    Array.from({ length: 30 }, (_, index) => `Sentence ${index} is about the harbour.`),
  )
  const before = llm.requests.length
  const first = await bench.call('POST', '/post/statement', { post_id: X_CLAIMS.talk })
  expect(first.body.data.post_media_summary).toStartWith('Video (0:35): what is said')
  expect(llm.requests.length - before).toBe(3)
  await bench.call('POST', '/post/statement', { post_id: X_CLAIMS.talk })
  expect(llm.requests.length - before).toBe(5)
})

test('what a stranger writes stays data in every prompt', async () => {
  const before = llm.requests.length
  await bench.skippingWaits(bench.call('POST', '/post/statement', { post_id: X_CLAIMS.hostile }))
  const asked = llm.requests.slice(before)
  expect(asked).toHaveLength(2)
  for (const { user, system } of asked) {
    expect(system).not.toContain('PWNED')
    expect(user.replaceAll(/<data>[^<]*<\/data>/g, '')).not.toMatch(/PWNED|im_start|evil/)
  }
})

test('a model that fails: extraction_failed, and nothing is charged', async () => {
  const before = bench.spentMicros()
  llm.behave('prose')
  const reply = await bench.skippingWaits(bench.call('POST', '/post/statement', { post_id: X_CLAIMS.plain }))
  expect(reply).toMatchObject({ status: 500, body: { error: 'extraction_failed' } })
  expect(bench.spentMicros()).toBe(before)
  llm.behave('sensible')
})
