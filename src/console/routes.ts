// Everything that the console's pages ask besides the API itself.

import type { SessionGuards } from '../accounts/guard.ts'
import type { App } from '../app.ts'
import type { Route } from '../http/route.ts'
import { accountsRoute } from './account-routes.ts'
import { healthRoutes } from './health-routes.ts'
import { keyRoutes } from './key-routes.ts'
import { modelRoutes } from './model-routes.ts'
import { sessionRoutes } from './session-routes.ts'
import { taskRoutes } from './task-routes.ts'
import { dailyUseRoute } from './usage-routes.ts'
import { webhookRoutes } from './webhook-routes.ts'

export function consoleApiRoutes(app: App, guards: SessionGuards): readonly Route[] {
  return [
    ...sessionRoutes(app, guards),
    accountsRoute(app, guards),
    ...taskRoutes(app, guards),
    ...keyRoutes(app, guards),
    ...webhookRoutes(app, guards),
    dailyUseRoute(app, guards),
    ...modelRoutes(app, guards),
    ...healthRoutes(app, guards),
  ]
}
