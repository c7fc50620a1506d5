// A server process whose one route charges: each request done makes an account. With `x-die`, the process kills itself
// in the middle: `inside` the transaction, or `after` it and before the answer.

import { createAccount, createFirstAccount } from '../../src/accounts/accounts.ts'
import { createGuard } from '../../src/accounts/guard.ts'
import { createKey } from '../../src/accounts/keys.ts'
import { readConfig } from '../../src/config.ts'
import { databasePath, openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { answer, success } from '../../src/http/envelope.ts'
import { createHttp, listen } from '../../src/http/http.ts'
import { createIdempotency } from '../../src/http/idempotency.ts'
import { route } from '../../src/http/route.ts'
import { newId } from '../../src/lib/id.ts'
import { silentLog } from '../../src/lib/log.ts'
import { t } from '../../src/lib/schema.ts'

const db = openDatabase(databasePath(process.argv[2] ?? ''))
migrate(db)
const context = { db, now: Date.now }
const first = createFirstAccount(context)
const key = first && createKey(context, first.id, { name: '', permissions: 'all', expiresAt: undefined }).text

const die = (request: Request, where: string): void => {
  if (request.headers.get('x-die') === where) process.kill(process.pid, 'SIGKILL')
}

const charging = route(
  {
    method: 'POST',
    path: '/charge',
    tag: 'Test',
    summary: 'Test',
    auth: createGuard({ ...context, config: readConfig({ EARSHOT_RATE_LIMITS: 'off' }) })('transcribe'),
    responses: { 202: t.Object({}) },
    charges: true,
  },
  ({ commit, request }) => {
    const reply = commit(() => {
      const { id } = createAccount(context, newId(), 'trial')
      die(request, 'inside')
      return answer(202, success({ id }))
    })
    die(request, 'after')
    return reply
  },
)

const http = createHttp({
  routes: [charging],
  log: silentLog(),
  publicUrl: () => '',
  idempotency: createIdempotency(context),
})
const { port } = listen(http, { host: '127.0.0.1', port: 0 })
process.stdout.write(`${JSON.stringify({ port, key: key ?? '' })}\n`)
