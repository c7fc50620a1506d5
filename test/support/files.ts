// A server with a key, for tests of uploads: sends forms as browsers do or byte by byte, and looks at what is on disk.

import { readdirSync, statSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { type Reply, startServer, type TestServer } from './server.ts'

/** Bytes, or text, of one part of a form. */
export interface Part {
  readonly name: string
  readonly content: string | Uint8Array
  /** Given for files: the whole of `filename="…"` is sent as it is. */
  readonly filename?: string
}

export interface FilesServer {
  server: TestServer
  readonly key: string
  request(method: string, path: string, body?: unknown): Promise<Reply>
  /** Uploads bytes under a name, with further fields. */
  upload(
    content: Uint8Array<ArrayBuffer>,
    name: string,
    fields?: Readonly<Record<string, string>>,
  ): Promise<Reply>
  /** Sends a form made of exactly these parts, in this order. */
  sendParts(parts: readonly Part[], headers?: Readonly<Record<string, string>>): Promise<Reply>
  /** `file_info` once the file is no longer in work. */
  ended(fileId: string): Promise<Reply['body']>
  /** Waits until `check` holds; fails after a generous while. */
  until(what: string, check: () => boolean | Promise<boolean>): Promise<void>
  /** Relative paths and sizes of every file in storage. */
  stored(): Record<string, number>
  close(): Promise<void>
}

export async function startFilesServer(env: Readonly<Record<string, string>> = {}): Promise<FilesServer> {
  const server = await startServer({ env })
  const key = await server.createKey()
  const self: FilesServer = {
    server,
    key,
    request: (method, path, body) => self.server.request(method, path, { key, body }),
    upload: (content, name, fields = {}) => post(self, formOf(content, name, fields), {}),
    sendParts: (parts, headers = {}) =>
      post(self, formBytes(parts), {
        'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
        ...headers,
      }),
    async ended(fileId) {
      let info: Reply['body']
      await self.until(`file ${fileId} ends`, async () => {
        const reply = await self.request('GET', `/v1/file/${fileId}`)
        info = reply.body.data.file_info
        return !['pending', 'processing'].includes(info.status)
      })
      return info
    },
    async until(what, check) {
      const deadline = Date.now() + 60_000
      while (!(await check())) {
        if (Date.now() > deadline) throw new Error(`waited in vain until ${what}`)
        await Bun.sleep(20)
      }
    },
    stored: () => storedIn(self.server.dataDir),
    close: () => self.server.close(),
  }
  return self
}

export function formOf(
  content: Uint8Array<ArrayBuffer>,
  name: string,
  fields: Readonly<Record<string, string>>,
): FormData {
  const form = new FormData()
  for (const [field, value] of Object.entries(fields)) form.set(field, value)
  form.set('file', new Blob([content]), name)
  return form
}

async function post(
  { server, key }: Pick<FilesServer, 'server' | 'key'>,
  body: FormData | Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>>,
): Promise<Reply> {
  const response = await fetch(`${server.url}/v1/upload/file`, {
    method: 'POST',
    headers: { 'x-api-key': key, ...headers },
    body,
  })
  return { status: response.status, headers: response.headers, body: await response.json() }
}

export const BOUNDARY = 'ear--boundary'

export function formBytes(parts: readonly Part[], end = `--${BOUNDARY}--\r\n`): Uint8Array<ArrayBuffer> {
  const chunks = parts.flatMap(({ name, content, filename }) => {
    const file = filename === undefined ? '' : `; ${filename}`
    return [`--${BOUNDARY}\r\ncontent-disposition: form-data; name="${name}"${file}\r\n\r\n`, content, '\r\n']
  })
  return new Uint8Array(Buffer.concat([...chunks, end].map((chunk) => Buffer.from(chunk))))
}

export function storedIn(dataDir: string): Record<string, number> {
  const root = join(dataDir, 'files')
  const found: Record<string, number> = {}
  for (const name of readdirSync(root, { recursive: true, encoding: 'utf8' }).toSorted()) {
    const info = statSync(join(root, name), { throwIfNoEntry: false })
    if (info?.isFile()) found[name] = info.size
  }
  return found
}

/** A request under way whose body the test sends piece by piece, and whose connection it may cut. */
export interface OpenRequest {
  write(bytes: Uint8Array | string): Promise<void>
  /** Cuts the connection without a word. */
  cut(): void
  /** What the server has answered so far. */
  answered(): string
}

export async function openRequest(
  server: TestServer,
  head: {
    readonly method: string
    readonly path: string
    readonly headers: Readonly<Record<string, string>>
  },
): Promise<OpenRequest> {
  const { hostname, port } = new URL(server.url)
  const socket = connect(Number(port), hostname)
  await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
  let answer = ''
  socket.on('data', (bytes) => (answer += bytes.toString('latin1')))
  socket.on('error', () => undefined)
  const lines = Object.entries({ host: hostname, ...head.headers }).map(
    ([name, value]) => `${name}: ${value}`,
  )
  socket.write(`${head.method} ${head.path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
  return {
    write: (bytes) => new Promise((resolve) => socket.write(bytes, () => resolve())),
    cut: () => socket.destroy(),
    answered: () => answer,
  }
}
