// Every route of the product, in order, on one screen.

import type { Elysia } from 'elysia'
import { createAddressGuard, createGuard, createSessionGuards } from './accounts/guard.ts'
import { extractionRoutes } from './analysis/extract-routes.ts'
import { analysisRoutes } from './analysis/routes.ts'
import type { App } from './app.ts'
import { usageRoutes } from './billing/usage-routes.ts'
import { pageRoutes } from './console/assets.ts'
import { consoleApiRoutes } from './console/routes.ts'
import { eventRoutes } from './events/routes.ts'
import { fileAnalysisRoutes } from './fileanalysis/routes.ts'
import { storageUsedBytes } from './files/blobs.ts'
import { contentRoutes } from './files/content.ts'
import { fileRoutes } from './files/file-routes.ts'
import { namespaceRoutes } from './files/namespace-routes.ts'
import { resumableRoutes } from './files/resumable-routes.ts'
import type { Followers } from './files/processing.ts'
import { uploadRoutes } from './files/upload-routes.ts'
import { aliasRoutes } from './http/aliases.ts'
import { healthRoute } from './http/health.ts'
import { createHttp } from './http/http.ts'
import { createIdempotency } from './http/idempotency.ts'
import { metricsRoutes } from './http/metrics.ts'
import { referenceRoutes } from './http/reference.ts'
import type { Route } from './http/route.ts'
import { healthChecks } from './http/checks.ts'
import { VERSION } from './lib/version.ts'
import { channelRoutes } from './search/channel-routes.ts'
import { countChannels } from './search/channels.ts'
import { fileSearchRoute } from './search/file-route.ts'
import { mcpRoutes } from './mcp/routes.ts'
import { indexJob } from './search/index.job.ts'
import { searcherOf } from './search/searcher.ts'
import { videoSearchRoute } from './search/videos-route.ts'
import { audioRoutes } from './openai/audio-routes.ts'
import { modelRoutes } from './openai/models-routes.ts'
import { downloadRoute } from './shortvideo/download.ts'
import { profileRoutes } from './shortvideo/profile-routes.ts'
import { searchRoutes } from './shortvideo/search-routes.ts'
import { statementRoutes } from './statement/routes.ts'
import { transcriptionRoutes } from './transcripts/routes.ts'
import { transcriptRoute } from './transcripts/transcript-route.ts'

/** Jobs that each file gets, with `{ fileId }`, once it has been transcribed. */
export const AFTER_TRANSCRIPTION: Followers = [indexJob]

/** `publicUrl` is asked per answer: with port 0 it is known only after listening. */
export function createServer(app: App, publicUrl: () => string): Elysia {
  const auth = createGuard(app)
  const guards = createSessionGuards(app)
  const own: readonly Route[] = [
    healthRoute({
      version: VERSION,
      checks: healthChecks(app),
      routes: () => routes,
      auth: createAddressGuard(app),
    }),
    ...usageRoutes(app, auth, {
      storageUsedBytes: (accountId) => storageUsedBytes(app, accountId),
      channelsUsed: (accountId) => countChannels(app, accountId),
    }),
    ...transcriptionRoutes(app, auth),
    transcriptRoute(app, auth),
    ...audioRoutes(app, auth),
    ...modelRoutes(app, auth),
    ...analysisRoutes(app, auth),
    ...extractionRoutes(app, auth),
    ...uploadRoutes(app, auth, AFTER_TRANSCRIPTION),
    ...resumableRoutes(app, auth, AFTER_TRANSCRIPTION),
    ...fileRoutes(app, auth, { publicUrl, followers: AFTER_TRANSCRIPTION }),
    ...namespaceRoutes(app, auth),
    ...fileAnalysisRoutes(app, auth),
    ...contentRoutes(app),
    ...eventRoutes(app, auth),
    fileSearchRoute(app, auth, { publicUrl, searcher: searcherOf(app) }),
    videoSearchRoute(app, auth),
    ...channelRoutes(app, auth),
    ...profileRoutes(app, auth, { publicUrl }),
    ...searchRoutes(app, auth, { publicUrl }),
    downloadRoute(app),
    ...statementRoutes(app, auth),
    ...consoleApiRoutes(app, guards),
    ...mcpRoutes(app, auth, { routes: () => routes, handle: (request) => http.handle(request) }),
    ...pageRoutes(),
    ...referenceRoutes({ version: VERSION, routes: () => routes }),
    ...metricsRoutes(app.metrics, app.config.metrics),
  ]
  const routes: readonly Route[] = [...own, ...aliasRoutes(own)]
  warnOfUnknownEndpoints(app, own)
  const { log, metrics } = app
  const http = createHttp({ routes, log, metrics, publicUrl, idempotency: createIdempotency(app) })
  return http
}

/** A slip in a setting would otherwise go unnoticed; endpoints of other versions must not stop the start. */
function warnOfUnknownEndpoints({ config, log }: App, routes: readonly Route[]): void {
  const known = new Set(routes.map(({ method, path }) => `${method} ${path}`))
  const named = config.rateLimits === 'off' ? [] : Object.keys(config.rateLimits)
  for (const endpoint of named.filter((name) => !known.has(name))) {
    log.warn({ endpoint }, 'EARSHOT_RATE_LIMITS names an endpoint that this version does not have')
  }
}
