// A client of the console's endpoints with a cookie jar of one, on a server inside the test's process.

import { createFirstAccount } from '../../src/accounts/accounts.ts'
import { setPassword } from '../../src/accounts/sign-in.ts'
import type { App } from '../../src/app.ts'
import { listen } from '../../src/http/http.ts'
import { createServer } from '../../src/server.ts'
import { createTestApp } from './app.ts'
import type { Reply } from './server.ts'

export const PASSWORD = 'quiet harbour lantern'

export interface ConsoleClient {
  /** As a page of the console sends it, unless `headers` say otherwise; null leaves one out. */
  request(
    method: string,
    path: string,
    options?: { body?: unknown; headers?: Readonly<Record<string, string | null>> },
  ): Promise<Reply>
  /** What the browser would send; undefined when signed out. */
  readonly cookie: string | undefined
  signIn(credentials?: { password: string } | { api_key: string }): Promise<Reply>
}

export interface ConsoleServer {
  readonly app: App
  readonly url: string
  readonly accountId: string
  client(cookie?: string): ConsoleClient
  advance(ms: number): void
  close(): Promise<void>
}

/** With the account `default`, and the operator's password unless `password` is false. */
export async function startConsole(
  options: { env?: Readonly<Record<string, string>>; password?: boolean } = {},
): Promise<ConsoleServer> {
  const testApp = await createTestApp({ EARSHOT_RATE_LIMITS: 'off', ...options.env })
  const { app } = testApp
  const account = createFirstAccount(app)
  if (options.password !== false) await setPassword(app, PASSWORD)
  let url = ''
  const server = listen(
    createServer(app, () => url),
    { host: '127.0.0.1', port: 0 },
  )
  url = `http://127.0.0.1:${server.port}`
  return {
    app,
    url,
    accountId: account?.id ?? '',
    client: (cookie) => createClient(url, cookie),
    advance: (ms) => testApp.advance(ms),
    async close() {
      app.signals.stopping.emit({})
      await server.stop(0)
      await testApp.close()
    },
  }
}

function createClient(url: string, initial?: string): ConsoleClient {
  let cookie = initial
  const client: ConsoleClient = {
    get cookie() {
      return cookie
    },
    async request(method, path, { body, headers = {} } = {}) {
      const sent = new Headers({ 'x-earshot-console': '1', 'sec-fetch-site': 'same-origin' })
      if (cookie !== undefined) sent.set('cookie', cookie)
      if (body !== undefined) sent.set('content-type', 'application/json')
      for (const [name, value] of Object.entries(headers)) {
        if (value === null) sent.delete(name)
        else sent.set(name, value)
      }
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      const response = await fetch(url + path, {
        method,
        headers: sent,
        ...(body === undefined ? {} : { body: text }),
      })
      for (const line of response.headers.getSetCookie()) {
        const [pair = ''] = line.split(';')
        cookie = pair.endsWith('=') ? undefined : pair
      }
      const answer = await response.text()
      const isJson = response.headers.get('content-type')?.includes('json') ?? false
      return {
        status: response.status,
        headers: response.headers,
        body: isJson ? JSON.parse(answer) : answer,
      }
    },
    signIn: (credentials = { password: PASSWORD }) =>
      client.request('POST', '/console/api/session', { body: credentials }),
  }
  return client
}
