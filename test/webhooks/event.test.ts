// The text that receivers parse: what is in it, what is left out, and when.

import { expect, test } from 'bun:test'
import type { JobType, Task } from '../../src/jobs/tasks.ts'
import { RESULT_BYTES_MAX, taskEvent, testEvent } from '../../src/webhooks/event.ts'

function task(result: unknown, jobType: JobType = 'transcribe'): Task {
  return {
    id: 'task-1',
    accountId: 'account-1',
    jobType,
    isSync: false,
    status: 'completed',
    request: { video_url: 'https://example.com/private' },
    result,
    error: null,
    createdAt: 0,
    startedAt: 0,
    completedAt: Date.UTC(2026, 0, 31),
    expiresAt: 0,
  }
}

function dataOf(ended: Task): Record<string, unknown> {
  const { data } = JSON.parse(taskEvent(ended, 'event-1').body) as { data: Record<string, unknown> }
  return data
}

test('a result of exactly 256 KB is sent, one byte more is left out and said so', () => {
  const bytes = RESULT_BYTES_MAX - '{"a":""}'.length
  const full = dataOf(task({ a: 'x'.repeat(bytes) }))
  expect(full['result_truncated']).toBe(false)
  expect(Buffer.byteLength(JSON.stringify(full['result']))).toBe(RESULT_BYTES_MAX)
  const cut = dataOf(task({ a: 'x'.repeat(bytes + 1) }))
  expect(cut['result_truncated']).toBe(true)
  expect('result' in cut).toBe(false)
  expect(cut['check_status_url']).toBe('/v1/transcribe/task-1')
})

test('size is counted in bytes, not in characters', () => {
  expect(dataOf(task('é'.repeat(RESULT_BYTES_MAX / 2)))['result_truncated']).toBe(true)
  expect(dataOf(task('é'.repeat(RESULT_BYTES_MAX / 2 - 1)))['result_truncated']).toBe(false)
})

test('short-video events tell the stats and where the results are, however many there are', () => {
  for (const [jobType, path] of [
    ['shortvideo_profile', '/v1/shortvideo/profile/task-1'],
    ['shortvideo_search', '/v1/shortvideo/search/task-1'],
  ] as const) {
    const data = dataOf(task({ stats: { videos_scanned: 3 }, videos: ['x'.repeat(300_000)] }, jobType))
    expect(data).toEqual({
      task_id: 'task-1',
      task_status: 'completed',
      job_type: jobType,
      check_status_url: path,
      result: { stats: { videos_scanned: 3 }, download_url_available: true },
      result_truncated: false,
    })
  }
})

test('a result that is null stays null', () => {
  expect(dataOf(task(null))['result']).toBeNull()
})

test('the same task and id give the same text, and the request is not in it', () => {
  const ended = task({ a: 1 })
  expect(taskEvent(ended, 'event-1')).toEqual(taskEvent(ended, 'event-1'))
  expect(taskEvent(ended, 'event-1').body).not.toContain('private')
})

test('a test event has the shape of a real one and a type that no task has', () => {
  const event = testEvent('event-1', 'task-1', 0)
  expect(event.type).toBe('webhook.test')
  const real = Object.keys(JSON.parse(taskEvent(task({}), 'event-1').body) as object)
  expect(Object.keys(JSON.parse(event.body) as object)).toEqual(real)
})
