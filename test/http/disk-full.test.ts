// A request whose writing meets a full disk.

import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { answer, success } from '../../src/http/envelope.ts'
import { createHttp } from '../../src/http/http.ts'
import { route } from '../../src/http/route.ts'
import { silentLog } from '../../src/lib/log.ts'
import { t } from '../../src/lib/schema.ts'

test('is told so, as 503 with a time to come back, and not that nobody knows what went wrong', async () => {
  using db = new Database(':memory:')
  // SQLite reports the end of its pages as it does the end of the disk.
  db.run('pragma max_page_count = 2')
  db.run('create table filler (bytes blob)')
  const responses = { 200: t.Object({ status: t.Literal('success'), data: t.Unknown() }) }
  const fill = route({ summary: 'Test', tag: 'Test', responses, method: 'POST', path: '/fill' }, () => {
    db.run('insert into filler values (zeroblob(100000))')
    return answer(200, success(null))
  })
  const http = createHttp({ routes: [fill], log: silentLog(), publicUrl: () => '' })
  const response = await http.handle(new Request('http://localhost/v1/fill', { method: 'POST' }))
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).not.toBeNull()
  expect(await response.json()).toMatchObject({
    status: 'error',
    error: 'system_overload',
    message: 'The disk of this server is full. Nothing was accepted. Try again later.',
  })
})
