// Default endpoints: which one a task gets, when one is switched off, and what may be one at all.

import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { createAccount } from '../../src/accounts/accounts.ts'
import type { App } from '../../src/app.ts'
import { HOUR } from '../../src/lib/time.ts'
import { chooseEndpoint } from '../../src/webhooks/choose.ts'
import { webhookStatus } from '../../src/webhooks/deliveries.ts'
import {
  checkWebhookUrl,
  clearDefaultUrl,
  enableEndpoint,
  findEndpoint,
  getEndpoint,
  noteFailure,
  noteSuccess,
  rotateSecret,
  setDefaultUrl,
  signingSecrets,
} from '../../src/webhooks/endpoints.ts'
import { createReceiver } from '../support/receiver.ts'
import { createWebhookTest, type WebhookTest } from './support.ts'

const URL_A = 'https://a.example.com/hook'
const URL_B = 'https://b.example.com/hook'

let support: WebhookTest
let app: App
let accountId: string
beforeEach(async () => {
  support = await createWebhookTest({ EARSHOT_TRUSTED_HOSTS: '127.0.0.1,intranet.example:8080' })
  ;({ app, accountId } = support)
})
afterEach(() => support.close())

const chosen = (requested?: string | null): unknown => chooseEndpoint(app, accountId, requested)

describe('which endpoint a task gets', () => {
  test('the default unless the request names another or opts out', () => {
    expect(chosen()).toBeUndefined()
    setDefaultUrl(app, accountId, URL_A)
    expect(chosen()).toEqual({ url: URL_A, source: 'default' })
    expect(chosen(null)).toEqual({ url: URL_A, source: 'default' })
    expect(chosen(URL_B)).toEqual({ url: URL_B, source: 'request' })
    expect(chosen('')).toBeUndefined()
    expect(webhookStatus(app, support.submit({ url: '' }).id)).toBeNull()
    clearDefaultUrl(app, accountId)
    expect(chosen()).toBeUndefined()
  })

  test('none of another account', () => {
    setDefaultUrl(app, createAccount(app, 'other', 'custom').id, URL_A)
    expect(chosen()).toBeUndefined()
  })

  test('none while the default is switched off, but a URL of the request all the same', () => {
    setDefaultUrl(app, accountId, URL_A)
    failFor(80)
    expect(findEndpoint(app, accountId)?.disabledAt).toBe(app.now())
    expect(chosen()).toBeUndefined()
    expect(chosen(URL_A)).toEqual({ url: URL_A, source: 'request' })
    enableEndpoint(app, accountId)
    expect(chosen()).toEqual({ url: URL_A, source: 'default' })
    expect(findEndpoint(app, accountId)).toMatchObject({
      failuresInRow: 0,
      firstFailureAt: null,
      disabledReason: null,
    })
  })
})

describe('a webhook URL', () => {
  for (const url of [
    'http://example.com/hook',
    'https://127.0.0.2/hook',
    'https://10.1.2.3/hook',
    'https://169.254.169.254/latest',
    'https://[::1]/hook',
    'https://[::ffff:10.0.0.1]/',
    'https://2130706434/hook',
    'https://localhost/hook',
    'https://user:pass@example.com/hook',
    'ftp://example.com/hook',
    'example.com/hook',
    'https://',
    ' ',
  ]) {
    test(`is not ${JSON.stringify(url)}, and nothing is made of it`, () => {
      const count = (): unknown => app.db.query('select count(*) as n from tasks').get()
      expect(() => support.submit({ url })).toThrow(expect.objectContaining({ code: 'invalid_parameter' }))
      expect(() => setDefaultUrl(app, accountId, url)).toThrow(/webhook_url/)
      expect(count()).toEqual({ n: 0 })
    })
  }

  test('may be public https, or what the operator trusts, also by plain http', () => {
    for (const url of [
      'https://example.com',
      'https://example.com:8443/a?b=c',
      'http://127.0.0.1:9/hook',
      'http://intranet.example:8080/hook',
    ]) {
      expect(checkWebhookUrl(url, app.config)).toBe(url)
    }
    expect(() => checkWebhookUrl('http://intranet.example/hook', app.config)).toThrow(/https/)
  })
})

/** All but the last failure at once, the last one `hours` later. */
function failFor(hours: number, failures = 20): void {
  for (let i = 1; i < failures; i++) noteFailure(app, accountId, URL_A)
  support.advance(hours * HOUR)
  noteFailure(app, accountId, URL_A)
}

describe('a default endpoint that keeps failing', () => {
  beforeEach(() => setDefaultUrl(app, accountId, URL_A))
  const isOff = (): boolean => (findEndpoint(app, accountId)?.disabledAt ?? null) !== null

  test('stays on for 20 failures in 72 hours sharp, and goes off with the next after that', () => {
    failFor(72)
    expect(findEndpoint(app, accountId)?.failuresInRow).toBe(20)
    expect(isOff()).toBe(false)
    support.advance(1)
    expect(isOff()).toBe(false)
    noteFailure(app, accountId, URL_A)
    expect(isOff()).toBe(true)
    expect(findEndpoint(app, accountId)?.disabledReason).toContain(
      '21 deliveries in a row failed since 2026-01-31',
    )
  })

  test('stays on for 19 failures over weeks', () => {
    failFor(1_000, 19)
    expect(isOff()).toBe(false)
    noteFailure(app, accountId, URL_A)
    expect(isOff()).toBe(true)
  })

  test('starts anew with a single success', () => {
    failFor(100, 19)
    noteSuccess(app, accountId, URL_A)
    expect(findEndpoint(app, accountId)).toMatchObject({ failuresInRow: 0, firstFailureAt: null })
    failFor(100, 19)
    expect(isOff()).toBe(false)
  })

  test('starts anew with another URL; what fails at the old one no longer counts', () => {
    failFor(100, 19)
    setDefaultUrl(app, accountId, URL_B)
    failFor(100)
    expect(findEndpoint(app, accountId)).toMatchObject({ url: URL_B, failuresInRow: 0, disabledAt: null })
  })

  test('is judged by whole deliveries, and never by URLs of requests', async () => {
    const receiver = createReceiver(() => new Response(null, { status: 410 }))
    try {
      setDefaultUrl(app, accountId, receiver.url)
      support.complete({ url: receiver.url })
      await support.deliver()
      expect(findEndpoint(app, accountId)?.failuresInRow).toBe(0)
      for (let i = 0; i < 20; i++) {
        support.complete()
        await support.deliver()
        support.advance(4 * HOUR)
      }
      expect(isOff()).toBe(true)
      const late = support.complete()
      await support.deliver()
      expect(webhookStatus(app, late.id)).toBeNull()
      expect(receiver.received).toHaveLength(21)
    } finally {
      await receiver.close()
    }
  })
})

test('a default endpoint cannot be enabled when there is none', () => {
  expect(() => enableEndpoint(app, accountId)).toThrow(/no default webhook endpoint/)
})

test('the secret is made on first use, is the account’s own and stays until it is rotated', () => {
  const other = createAccount(app, 'other', 'custom').id
  const { secret } = getEndpoint(app, accountId)
  expect(secret).toMatch(/^whsec_[0-9A-Za-z]{40}$/)
  expect(getEndpoint(app, other).secret).not.toBe(secret)
  setDefaultUrl(app, accountId, URL_A)
  clearDefaultUrl(app, accountId)
  expect(signingSecrets(app, accountId)).toEqual([secret])
  const second = rotateSecret(app, accountId, HOUR).secret
  expect(signingSecrets(app, accountId)).toEqual([second, secret])
  const third = rotateSecret(app, accountId, HOUR).secret
  expect(signingSecrets(app, accountId)).toEqual([third, second])
  support.advance(HOUR)
  expect(signingSecrets(app, accountId)).toEqual([third])
})
