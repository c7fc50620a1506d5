// The doctor in the browser, for the operator: an examination runs in the background and is read while it goes on.

import type { SessionGuards } from '../accounts/guard.ts'
import type { App } from '../app.ts'
import { examineAll, PART_COUNT } from '../doctor/parts.ts'
import type { NamedFinding } from '../doctor/finding.ts'
import { answer, success } from '../http/envelope.ts'
import { type Route, route } from '../http/route.ts'
import { asError } from '../lib/problem.ts'
import { type Infer, t } from '../lib/schema.ts'
import { isoTimeOrNull } from '../lib/time.ts'
import { CONSOLE, instant, nullable, wrapped } from './spec.ts'

const Examination = t.Object({
  state: t.Union([t.Literal('never'), t.Literal('running'), t.Literal('completed')]),
  started_at: nullable(instant),
  completed_at: nullable(instant),
  parts: t.Integer({ description: 'How many findings there will be' }),
  findings: t.Array(
    t.Object({
      name: t.String(),
      verdict: t.Union([t.Literal('ok'), t.Literal('warning'), t.Literal('failed')]),
      message: t.String(),
    }),
  ),
})

export type HealthData = Infer<typeof Examination>

export function healthRoutes(app: App, { operator }: SessionGuards): readonly Route[] {
  const findings: NamedFinding[] = []
  let startedAt: number | null = null
  let completedAt: number | null = null
  const stop = new AbortController()
  app.signals.stopping.listen(() => stop.abort())

  async function examine(): Promise<void> {
    startedAt = app.now()
    completedAt = null
    findings.length = 0
    try {
      await examineAll(app, {
        within: 'server',
        signal: stop.signal,
        onFinding: (finding) => findings.push(finding),
      })
    } catch (error) {
      app.log.warn({ err: asError(error) }, 'an examination ended early')
    } finally {
      completedAt = app.now()
    }
  }

  const isRunning = (): boolean => startedAt !== null && completedAt === null
  const state = () =>
    answer(
      200,
      success({
        state:
          startedAt === null
            ? ('never' as const)
            : isRunning()
              ? ('running' as const)
              : ('completed' as const),
        started_at: isoTimeOrNull(startedAt),
        completed_at: isoTimeOrNull(completedAt),
        parts: PART_COUNT,
        findings: [...findings],
      }),
    )
  const spec = {
    ...CONSOLE,
    auth: operator,
    path: '/health',
    responses: { 200: wrapped(Examination) },
  } as const
  return [
    route({ ...spec, method: 'GET', summary: 'What the last examination found' }, state),
    route({ ...spec, method: 'POST', summary: 'Examine every part, unless that is under way' }, () => {
      if (!isRunning()) void examine()
      return state()
    }),
  ]
}
