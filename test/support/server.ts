// The product as people run it: a `serve` process on a data folder of its own, driven over HTTP.
// From source, or with `binary` the compiled one.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanEnv, commandLine, earshot } from './earshot.ts'

export interface Reply {
  readonly status: number
  readonly headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of every shape and assert what they find.
  readonly body: any
}

export interface TestServer {
  readonly url: string
  readonly pid: number
  readonly dataDir: string
  readonly env: Readonly<Record<string, string>>
  /** Runs another command on the same data folder and returns its stdout. Throws when it fails. */
  command(...args: string[]): Promise<string>
  /** A new key of the account `default`. */
  createKey(...args: string[]): Promise<string>
  request(
    method: string,
    path: string,
    options?: { key?: string; body?: unknown; headers?: Record<string, string> },
  ): Promise<Reply>
  /** Ends the process with the signal and waits for it; the data folder stays. Returns the exit code. */
  kill(signal: NodeJS.Signals): Promise<number | null>
  /** Starts a new process on the same data folder. */
  restart(): Promise<TestServer>
  /** Ends the process and removes the data folder. Throws when the log tells of a fault of the server itself. */
  close(): Promise<void>
}

export interface ServerOptions {
  readonly env?: Readonly<Record<string, string>>
  readonly binary?: string | undefined
  readonly dataDir?: string
  /** Where the process runs; the folder for temporary files unless given. */
  readonly cwd?: string
}

export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), 'earshot-server-'))
  const env = cleanEnv({
    HOME: dataDir,
    EARSHOT_DATA: dataDir,
    EARSHOT_PORT: '0',
    EARSHOT_LOG: 'json',
    EARSHOT_RATE_LIMITS: 'off',
    ...options.env,
  })
  const cwd = options.cwd ?? tmpdir()
  const child = Bun.spawn(commandLine(['serve'], options.binary), {
    env,
    cwd,
    stdout: 'pipe',
    stderr: Bun.file(join(dataDir, 'server.log')),
  })
  const url = await listeningUrl(child.stdout, join(dataDir, 'server.log'))

  async function command(...args: string[]): Promise<string> {
    const run = await earshot(args, { cwd, env, binary: options.binary })
    if (run.exitCode !== 0) throw new Error(`earshot ${args.join(' ')} failed: ${run.stderr}`)
    return run.stdout
  }

  return {
    url,
    pid: child.pid,
    dataDir,
    env,
    command,
    createKey: async (...args) => (await command('keys', 'create', ...args)).trim(),
    async request(method, path, { key, body, headers } = {}) {
      const sent = new Headers(headers)
      if (key !== undefined) sent.set('x-api-key', key)
      if (body !== undefined && !sent.has('content-type')) sent.set('content-type', 'application/json')
      const text = typeof body === 'string' ? body : JSON.stringify(body)
      const response = await fetch(url + path, {
        method,
        headers: sent,
        ...(body === undefined ? {} : { body: text }),
      })
      const answer = await response.text()
      const isJson = response.headers.get('content-type')?.includes('json') ?? false
      return {
        status: response.status,
        headers: response.headers,
        body: isJson ? JSON.parse(answer) : answer,
      }
    },
    async kill(signal) {
      child.kill(signal)
      await child.exited
      return child.exitCode
    },
    restart: () => startServer({ ...options, dataDir }),
    async close() {
      child.kill('SIGKILL')
      await child.exited
      const log = readFileSync(join(dataDir, 'server.log'), 'utf8')
      rmSync(dataDir, { recursive: true, force: true })
      const fault = log.split('\n').find((line) => line.includes('a failure was not handled'))
      if (fault !== undefined) throw new Error(fault)
    },
  }
}

/** `serve` prints one line with its URL when it accepts requests. */
async function listeningUrl(stdout: ReadableStream<Uint8Array>, logFile: string): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  const reader = stdout.getReader()
  for (;;) {
    const { done, value } = await reader.read()
    text += decoder.decode(value, { stream: true })
    const url = /http:\/\/[\d.]+:\d+/.exec(text)?.[0]
    if (url !== undefined && text.includes('\n')) {
      reader.releaseLock()
      return url
    }
    if (done)
      throw new Error(`the server ended before it listened:\n${text}\n${await Bun.file(logFile).text()}`)
  }
}

/** Polls a task until it is final; the deadline is generous and only ends a test that hangs. */
export async function finishedTask(
  server: TestServer,
  key: string,
  path: string,
  deadlineMs = 120_000,
): Promise<Reply> {
  const until = Date.now() + deadlineMs
  for (;;) {
    const reply = await server.request('GET', path, { key })
    if (reply.status !== 200 || reply.body.data.task_status !== 'processing') return reply
    if (Date.now() > until) throw new Error(`still processing: ${JSON.stringify(reply.body)}`)
    await Bun.sleep(50)
  }
}
