// The reference: /v1/openapi.json, a page to read and try it (/docs) and the page that `docs_url` points to (/docs/errors).
// Everything comes out of the binary; the pages may load nothing from elsewhere.

import swaggerCss from 'swagger-ui-dist/swagger-ui.css' with { type: 'file' }
import swaggerScript from 'swagger-ui-dist/swagger-ui-bundle.js' with { type: 'file' }
import { PROBLEMS, type ProblemCode } from '../lib/problem.ts'
import { t } from '../lib/schema.ts'
import { answer } from './envelope.ts'
import { openApiDocument } from './openapi.ts'
import { PROBLEM_DOCS } from './problem-docs.ts'
import { type Route, route } from './route.ts'

export interface ReferenceOptions {
  readonly version: string
  /** Every route of the server, asked when the document is first read. */
  readonly routes: () => readonly Route[]
}

export function referenceRoutes({ version, routes }: ReferenceOptions): readonly Route[] {
  let document: unknown
  return [
    route(
      {
        method: 'GET',
        path: '/openapi.json',
        tag: 'Service',
        summary: 'This description, as OpenAPI 3.1',
        responses: { 200: t.Unknown({ description: 'An OpenAPI 3.1 document.' }) },
      },
      () => answer(200, (document ??= openApiDocument(routes(), version))),
    ),
    page('/docs', () => html('Earshot API reference', REFERENCE, '/docs/swagger-ui.css')),
    page('/docs/errors', () => html('Earshot API errors', errorList())),
    page('/docs/swagger-ui.css', () => asset(Bun.file(swaggerCss), 'text/css; charset=utf-8')),
    page('/docs/swagger-ui.js', () => asset(Bun.file(swaggerScript), 'text/javascript; charset=utf-8')),
    page('/docs/icon.svg', () => asset(ICON, 'image/svg+xml')),
    page('/docs/start.js', () => asset(START, 'text/javascript; charset=utf-8')),
  ]
}

function page(path: string, respond: () => Response): Route {
  return route({ method: 'GET', path, base: '', tag: 'Pages', summary: path, responses: {} }, respond)
}

/** Without one, browsers ask for /favicon.ico and report that it is missing. */
const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16" fill="none" stroke="#2563eb" stroke-width="2" ' +
  'stroke-linecap="round"><path d="M2 7v2M5 4v8M8 1v14M11 4v8M14 7v2"/></svg>'

const START = `SwaggerUIBundle({
  url: '/v1/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  displayRequestDuration: true,
  persistAuthorization: false,
  validatorUrl: null,
})
`

const REFERENCE = `<p class="top"><a href="/docs/errors">Error codes</a> · <a href="/v1/openapi.json">OpenAPI document</a></p>
<div id="reference"></div>
<noscript>The reference needs JavaScript; the OpenAPI document does not.</noscript>
<script src="/docs/swagger-ui.js"></script>
<script src="/docs/start.js"></script>`

function errorList(): string {
  const rows = (Object.keys(PROBLEMS) as ProblemCode[]).map(
    (code) =>
      `<tr id="${code}"><td>${PROBLEMS[code]}</td><td><code>${code}</code></td><td>${PROBLEM_DOCS[code]}</td></tr>`,
  )
  return `<h1>Error codes</h1>
<p>Branch on <code>error</code>, show <code>message</code>. <a href="/docs">API reference</a></p>
<table><thead><tr><th>HTTP</th><th>error</th><th>Meaning</th></tr></thead><tbody>
${rows.join('\n')}
</tbody></table>`
}

const STYLE = `body { margin: 0 auto; max-width: 72rem; padding: 1rem; font-family: system-ui, sans-serif; color: #1b1b1b }
table { border-collapse: collapse } td, th { text-align: left; vertical-align: top; padding: .4rem .8rem; border-bottom: 1px solid #ddd }
tr:target { background: #fff3c4 }`

/** Swagger UI sets inline styles; scripts come from files of ours alone. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; " +
  "connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

function html(title: string, body: string, stylesheet?: string): Response {
  const link = stylesheet === undefined ? '' : `<link rel="stylesheet" href="${stylesheet}">`
  const text = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><link rel="icon" href="/docs/icon.svg">${link}<style>${STYLE}</style></head>
<body>
${body}
</body></html>
`
  return new Response(text, {
    headers: { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': PAGE_POLICY },
  })
}

function asset(content: string | Blob, type: string): Response {
  return new Response(content, { headers: { 'content-type': type, 'cache-control': 'public, max-age=3600' } })
}
