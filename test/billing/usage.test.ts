// GET /usage as a client reads it.

import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createAccount } from '../../src/accounts/accounts.ts'
import { createGuard } from '../../src/accounts/guard.ts'
import { createKey } from '../../src/accounts/keys.ts'
import { setLimits } from '../../src/accounts/limits.ts'
import type { Permissions } from '../../src/accounts/permissions.ts'
import type { Plan } from '../../src/accounts/plans.ts'
import { grant } from '../../src/billing/balance.ts'
import { charge, waive } from '../../src/billing/ledger.ts'
import { formatBytes, usageRoutes } from '../../src/billing/usage-routes.ts'
import { createHttp } from '../../src/http/http.ts'
import { newId } from '../../src/lib/id.ts'
import { DAY } from '../../src/lib/time.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import type { Reply } from '../support/server.ts'

const GB = 1_073_741_824
let product: TestApp
let accounts = 0

beforeAll(async () => {
  product = await createTestApp()
})
afterAll(() => product.close())

interface Options {
  readonly permissions?: Permissions
  readonly storedBytes?: number
}

function setUp(plan: Plan, { permissions = 'all', storedBytes = 0 }: Options = {}) {
  const { app } = product
  const { id } = createAccount(app, `usage-${++accounts}`, plan)
  const { text } = createKey(app, id, { name: '', permissions, expiresAt: undefined })
  const sources = { storageUsedBytes: () => storedBytes, channelsUsed: () => 0 }
  const { log, metrics } = app
  const routes = usageRoutes(app, createGuard(app), sources)
  const http = createHttp({ routes, log, metrics, publicUrl: () => 'http://localhost' })
  const read = async (): Promise<Pick<Reply, 'status' | 'body'>> => {
    const request = new Request('http://localhost/v1/usage', { headers: { 'x-api-key': text } })
    const response = await http.handle(request)
    return { status: response.status, body: await response.json() }
  }
  return { app, id, read }
}

test('everything an account with limits has and has used', async () => {
  const { app, id, read } = setUp('tier2', { storedBytes: GB / 2 })
  grant(app, { accountId: id, micros: 2_500_000 })
  const base = { accountId: id, reference: newId() }
  charge(app, { ...base, meter: 'residential_request', quantity: 1 })
  charge(app, { ...base, meter: 'transcription_hour', quantity: 5_400 })
  waive(app, { ...base, meter: 'standard_request', quantity: 1 })
  expect(await read()).toEqual({
    status: 200,
    body: {
      status: 'success',
      data: {
        usage_period: { start: '2026-01-31T12:00:00.000Z', end: '2026-02-28T12:00:00.000Z' },
        billing_period: {
          start: '2026-01-31T12:00:00.000Z',
          end: '2026-02-28T12:00:00.000Z',
          interval: 'month',
        },
        subscription: {
          plan_id: 'tier2',
          plan_name: 'Tier 2',
          interval: 'month',
          status: 'active',
          cancel_at_period_end: false,
        },
        credits: { monthly_total: 15, monthly_remaining: 14.495, purchased: 2.5 },
        usage: {
          standard_request: { used: 0 },
          residential_request: { used: 1 },
          search_request: { used: 0 },
          analysis_request: { used: 0 },
          scene_analysis_hour: { used: 0, unit: 'hours' },
          transcription_hour: { used: 1.5, unit: 'hours' },
        },
        channels_indexed: { used: 0, limit: 3, remaining: 3, percentage: 0 },
        storage: {
          used_bytes: GB / 2,
          limit_bytes: 50 * GB,
          remaining_bytes: 49.5 * GB,
          used_formatted: '512 MB',
          limit_formatted: '50 GB',
          remaining_formatted: '49.5 GB',
          percentage: 1,
        },
        generated_at: '2026-01-31T12:00:00.000Z',
      },
    },
  })
})

test('an unlimited account says so, and counts all the same', async () => {
  const { app, id, read } = setUp('custom', { storedBytes: 10 })
  charge(app, { accountId: id, reference: newId(), meter: 'search_request', quantity: 7 })
  const { body } = await read()
  expect(body.data).toMatchObject({
    credits: { monthly_total: 'unlimited', monthly_remaining: 'unlimited', purchased: 0 },
    usage: { search_request: { used: 7 } },
    channels_indexed: { used: 0, limit: 'unlimited', remaining: 'unlimited', percentage: 0 },
    storage: { used_bytes: 10, limit_bytes: 'unlimited', remaining_formatted: 'unlimited', percentage: 0 },
  })
})

test('an account may have a storage limit of its own', async () => {
  const { app, id, read } = setUp('custom', { storedBytes: GB })
  setLimits(app, id, { storageBytes: GB / 2 })
  const { body } = await read()
  expect(body.data.storage).toMatchObject({ limit_bytes: GB / 2, remaining_bytes: 0, percentage: 200 })
})

test('no subscription is a 404, a key without the permission a 403', async () => {
  expect(await setUp('none').read()).toMatchObject({ status: 404, body: { error: 'no_subscription' } })
  const refused = await setUp('trial', { permissions: ['search'] }).read()
  expect(refused).toMatchObject({ status: 403, body: { error: 'access_denied' } })
})

test('counters and monthly credits start anew with the period', async () => {
  const { app, id, read } = setUp('trial')
  charge(app, { accountId: id, reference: newId(), meter: 'analysis_request', quantity: 100 })
  expect((await read()).body.data.credits.monthly_remaining).toBe(4)
  product.advance(40 * DAY)
  const { data } = (await read()).body
  expect(data.credits.monthly_remaining).toBe(5)
  expect(data.usage.analysis_request.used).toBe(0)
  expect(data.usage_period).toEqual({ start: '2026-02-28T12:00:00.000Z', end: '2026-03-31T12:00:00.000Z' })
})

test.each([
  [0, '0 bytes'],
  [1_023, '1023 bytes'],
  [1_536, '1.5 KB'],
  [5 * GB, '5 GB'],
  [500 * 1_024 * GB, '500 TB'],
  ['unlimited', 'unlimited'],
] as const)('%p bytes read %p', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})
