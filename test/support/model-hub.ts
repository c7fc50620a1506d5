// A model hub on localhost that misbehaves on request: cut connections, wrong bytes, redirects, refusals, slow bodies.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { Model, ModelTask } from '../../src/engines/model-catalogue.ts'
import type { HubFetch } from '../../src/engines/model-pull.ts'
import { sha256 } from '../../src/lib/id.ts'

export interface HubEntry {
  content: Uint8Array
  etag?: string
  status?: number
  redirectTo?: string
  /** Bytes of the body after which the connection is cut, request by request. */
  cuts?: number[]
  /** Sends so many bytes of the body, then nothing more, with the connection open. */
  holdAfter?: number | undefined
  ignoreRanges?: boolean
}

export interface HubRequest {
  readonly path: string
  readonly range: string | undefined
  readonly ifRange: string | undefined
  /** Bytes of the body that were handed to the connection. */
  sentBytes: number
}

export interface ModelHub extends AsyncDisposable {
  readonly url: string
  readonly entries: Map<string, HubEntry>
  readonly requests: HubRequest[]
}

export async function startModelHub(): Promise<ModelHub> {
  const entries = new Map<string, HubEntry>()
  const requests: HubRequest[] = []
  const server = createServer((request, response) => answer(request, response, entries, requests))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    entries,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  entries: ReadonlyMap<string, HubEntry>,
  requests: HubRequest[],
): void {
  const path = (request.url ?? '').slice(1)
  const entry = entries.get(path)
  const { range } = request.headers
  const ifRange = request.headers['if-range']
  const record: HubRequest = { path, range, ifRange: ifRange?.toString(), sentBytes: 0 }
  requests.push(record)
  if (!entry) return void response.writeHead(404).end()
  if (entry.redirectTo !== undefined)
    return void response.writeHead(302, { location: entry.redirectTo }).end()
  if (entry.status !== undefined) return void response.writeHead(entry.status).end('refused')

  const total = entry.content.byteLength
  const asked = Number(/^bytes=(\d+)-$/.exec(range ?? '')?.[1] ?? 0)
  const current = ifRange === undefined || ifRange === entry.etag
  const start = current && entry.ignoreRanges !== true ? asked : 0
  if (start >= total) return void response.writeHead(416, { 'content-range': `bytes */${total}` }).end()
  response.writeHead(start > 0 ? 206 : 200, {
    'content-length': total - start,
    ...(entry.etag === undefined ? {} : { etag: entry.etag }),
    ...(start > 0 ? { 'content-range': `bytes ${start}-${total - 1}/${total}` } : {}),
  })
  const cut = entry.cuts?.shift()
  const body = entry.content.subarray(start, start + (cut ?? entry.holdAfter ?? total))
  record.sentBytes = body.byteLength
  if (cut !== undefined) response.write(body, () => response.socket?.destroySoon())
  else if (entry.holdAfter !== undefined) response.write(body)
  else response.end(body)
}

/** What the product's guarded fetch is to the pull; without the guard, because the hub is on localhost. */
export const plainFetch: HubFetch = async (url, init) => await fetch(url, init)

/** Bytes that differ at every place and from seed to seed. */
export function testBytes(length: number, seed: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(length)
  let state = seed * 2_654_435_761 + 1
  for (let index = 0; index < length; index++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[index] = state >>> 24
  }
  return bytes
}

/** A model for tests, on a hub at `<id>/<file>`. A file without `publish` has no published hash and size. */
export function testModel(
  id: string,
  files: Readonly<Record<string, { content: Uint8Array; publish?: boolean }>>,
  parts: Partial<Model> & { task?: ModelTask } = {},
): Model {
  return {
    id,
    task: 'speech',
    name: id,
    format: 'whisper-ggml',
    embedded: false,
    repository: null,
    revision: null,
    licence: 'MIT',
    languages: ['*'],
    memoryBytes: 1_000_000,
    coresMin: 1,
    rank: 10,
    notes: '',
    files: Object.entries(files).map(([name, { content, publish = true }]) => ({
      name,
      path: `${id}/${name}`,
      sizeBytes: publish ? content.byteLength : null,
      sha256: publish ? sha256(content) : null,
    })),
    ...parts,
  }
}
