// The console's pages and files, served from the pack (bundle.ts) already compressed. The policy lets nothing in from
// elsewhere and no inline script or style run; file names carry a hash of their content, so they may be kept for ever.

import { embeddedFiles } from 'bun'
import { gunzipSync } from 'node:zlib'
import { type Route, route } from '../http/route.ts'
import { sha256 } from '../lib/id.ts'
import { Problem } from '../lib/problem.ts'
import { parseOrThrow } from '../lib/schema.ts'
import { ensurePack, PACK_NAME, packParser } from './bundle.ts'

/** Addresses that the page itself takes apart (ui/router.ts). */
const PAGES = [
  '/',
  '/library',
  '/files/{file_id}',
  '/search',
  '/tasks',
  '/tasks/{task_id}',
  '/settings',
  '/settings/{page}',
] as const

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "media-src 'self' blob:",
  "connect-src 'self'",
  "font-src 'self'",
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

type Encoding = 'br' | 'gzip' | 'identity'

interface Asset {
  readonly type: string
  readonly etag: string
  readonly bodies: Readonly<Record<Encoding, Uint8Array<ArrayBuffer>>>
}

type Assets = ReadonlyMap<string, Asset>

export function pageRoutes(): readonly Route[] {
  let assets: Promise<Assets> | undefined
  const find = async (name: string): Promise<Asset> => {
    assets ??= readAssets()
    const asset = (await assets).get(name)
    if (!asset) throw new Problem('not_found', 'The console has no such file. Reload the page.')
    return asset
  }
  const common = { base: '', tag: 'Pages', responses: {}, method: 'GET' } as const
  const page = async ({ request }: { request: Request }): Promise<Response> =>
    send(await find('index.html'), request, 'no-cache')
  return [
    ...PAGES.map((path) => route({ ...common, path, summary: 'The console' }, page)),
    route(
      { ...common, path: '/assets/{name}', summary: 'A file of the console' },
      async ({ request, params }) => {
        if (params.name === 'index.html') throw new Problem('not_found', 'The console is at /.')
        return send(await find(params.name), request, 'public, max-age=31536000, immutable')
      },
    ),
  ]
}

function send(asset: Asset, request: Request, cacheControl: string): Response {
  const encoding = encodingFor(request.headers.get('accept-encoding') ?? '')
  const headers = new Headers({
    'content-type': asset.type,
    'content-security-policy': POLICY,
    'cross-origin-opener-policy': 'same-origin',
    'cache-control': cacheControl,
    vary: 'accept-encoding',
    etag: asset.etag,
  })
  if (request.headers.get('if-none-match') === asset.etag) return new Response(null, { status: 304, headers })
  if (encoding !== 'identity') headers.set('content-encoding', encoding)
  return new Response(asset.bodies[encoding], { headers })
}

/** Browsers name what they take without weights; whatever is excluded with `q=0` is not used. */
function encodingFor(accepted: string): Encoding {
  const entries = accepted.toLowerCase().split(',')
  const taken = entries.filter((entry) => !/;\s*q=0(?:\.0*)?\s*$/.test(entry))
  const names = new Set(taken.map((entry) => entry.split(';', 1)[0]?.trim()))
  return (['br', 'gzip'] as const).find((encoding) => names.has(encoding)) ?? 'identity'
}

async function readAssets(): Promise<Assets> {
  const pack = parseOrThrow(packParser, JSON.parse(await packText()), 'the console’s pack')
  return new Map(
    Object.entries(pack.files).map(([name, { type, brotli, gzip }]) => {
      const zipped = new Uint8Array(Buffer.from(gzip, 'base64'))
      const bodies = {
        br: new Uint8Array(Buffer.from(brotli, 'base64')),
        gzip: zipped,
        identity: new Uint8Array(gunzipSync(zipped)),
      }
      return [name, { type, bodies, etag: `W/"${sha256(bodies.identity).slice(0, 24)}"` }]
    }),
  )
}

async function packText(): Promise<string> {
  const embedded = embeddedFiles.find((file) => 'name' in file && file.name === PACK_NAME)
  return embedded ? embedded.text() : Bun.file(await ensurePack()).text()
}
