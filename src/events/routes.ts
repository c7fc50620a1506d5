// GET /tasks/{task_id}/events and GET /events: progress, segments and ends as they happen, as server-sent events.

import { type Guard, refuseWithout } from '../accounts/guard.ts'
import type { App } from '../app.ts'
import { type Route, route } from '../http/route.ts'
import { findEndId, lastEventId } from '../jobs/event-log.ts'
import { Problem } from '../lib/problem.ts'
import { t } from '../lib/schema.ts'
import { SECOND } from '../lib/time.ts'
import { type FeedOptions, lastEvent } from './feed.ts'
import { findStanding, jobTypesFor, permissionFor, type Standing, subjectFields } from './followed.ts'
import { createHub, type Hub } from './hub.ts'
import { END_ID, eventText, parseLastEventId, type Position, SSE_HEADERS, SSE_TYPE } from './sse.ts'

const HEARTBEAT_MS = 15 * SECOND

const EVENTS =
  'Server-sent events, each with JSON data that names its `task_id` (or `file_id`) and `job_type`: `progress` (0 to 1), ' +
  '`segment` (`item`, `index`, `text`, `start`, `end`) as speech is recognised, `restarted` (forget the segments of `item`, ' +
  'or all), `completed`, `failed` (with `error`) and `cancelled`. All but `progress` have ids: a client that connects again ' +
  'with `Last-Event-ID` goes on behind that event, without loss or doubling, also after a restart of the server. ' +
  'A comment comes every 15 seconds. Results are read at `check_status_url`.'

const common = {
  method: 'GET',
  tag: 'Events',
  query: t.Object({
    last_event_id: t.Optional(
      t.String({ description: 'For clients that cannot send the header Last-Event-ID', maxLength: 32 }),
    ),
  }),
  texts: [SSE_TYPE],
  responses: {},
  slow: true,
} as const

export interface EventRoutesOptions {
  readonly heartbeatMs?: number
}

export function eventRoutes(app: App, auth: Guard, options: EventRoutesOptions = {}): readonly Route[] {
  const hub = createHub(app)
  const heartbeatMs = options.heartbeatMs ?? HEARTBEAT_MS
  return [taskEvents(app, auth, { hub, heartbeatMs }), accountEvents(app, auth, { hub, heartbeatMs })]
}

interface Streams {
  readonly hub: Hub
  readonly heartbeatMs: number
}

function taskEvents(app: App, auth: Guard, { hub, heartbeatMs }: Streams): Route {
  return route(
    {
      ...common,
      path: '/tasks/{task_id}/events',
      summary: 'Follow one task, or the processing of one file, until it ends',
      description:
        `${EVENTS} The stream begins with what has happened so far and ends with the task; 204 when there is nothing ` +
        'behind `Last-Event-ID`. Any kind of task, or the id of a file. Needs the permission of the poll.',
      auth: auth('any'),
      errors: ['task_not_found', 'invalid_cursor', 'system_overload'],
    },
    ({ caller, params, query, request, signal }) => {
      const accountId = caller.account.id
      const standing = findStanding(app, accountId, params.task_id)
      if (!standing) throw notFound()
      const { subject } = standing
      refuseWithout(permissionFor(subject.jobType), caller)
      const last = lastSeen(app, request, query.last_event_id)
      const begin = beginning(app, standing, last)
      if (begin === undefined) return new Response(null, { status: 204 })
      const feed: FeedOptions = {
        accountId,
        subjectId: subject.id,
        jobTypes: [subject.jobType],
        ...begin,
        heartbeatMs,
        isAllowed: caller.isStillValid,
      }
      return reply(hub, feed, { request, signal })
    },
  )
}

function notFound(): Problem {
  return new Problem(
    'task_not_found',
    'There is no such task or file. Finished tasks are kept for a limited time.',
  )
}

type Begin = Pick<FeedOptions, 'after' | 'first' | 'isOver'>

const START: Position = { row: 0, piece: -1 }

/** Undefined when the client knows everything there is to know. */
function beginning(app: App, { subject, progress, end }: Standing, last: LastEvent): Begin | undefined {
  const after = last === END_ID || last === undefined ? START : last
  if (!end) {
    const first = eventText('progress', { ...subjectFields(subject), progress })
    return { after, first: [first], isOver: false }
  }
  const endId = findEndId(app, subject.id)
  if (endId === undefined) {
    return last === END_ID ? undefined : { after, first: [lastEvent(subject, end)], isOver: true }
  }
  return after.row >= endId ? undefined : { after, first: [], isOver: false }
}

function accountEvents(app: App, auth: Guard, { hub, heartbeatMs }: Streams): Route {
  return route(
    {
      ...common,
      path: '/events',
      summary: 'Follow everything of the account that the key may poll',
      description: `${EVENTS} Begins with what happens from now on, or behind \`Last-Event-ID\`.`,
      auth: auth('any'),
      errors: ['invalid_cursor', 'system_overload'],
    },
    ({ caller, query, request, signal }) => {
      const jobTypes = jobTypesFor(caller.permissions)
      if (jobTypes.length === 0) refuseWithout('transcribe', caller)
      const last = lastSeen(app, request, query.last_event_id)
      const now: Position = { row: lastEventId(app), piece: Number.MAX_SAFE_INTEGER }
      const feed: FeedOptions = {
        accountId: caller.account.id,
        subjectId: undefined,
        jobTypes,
        after: last === undefined || last === END_ID ? now : last,
        first: [],
        isOver: false,
        heartbeatMs,
        isAllowed: caller.isStillValid,
      }
      return reply(hub, feed, { request, signal })
    },
  )
}

type LastEvent = ReturnType<typeof parseLastEventId>

/** A position that this database has never reached is of another one (a backup was restored): it says nothing. */
function lastSeen(app: App, request: Request, fromQuery: string | undefined): LastEvent {
  const last = parseLastEventId(request.headers.get('last-event-id') ?? fromQuery)
  return last !== undefined && last !== END_ID && last.row > lastEventId(app) ? undefined : last
}

function reply(
  hub: Hub,
  feed: FeedOptions,
  { request, signal }: { readonly request: Request; readonly signal: AbortSignal },
): Response {
  return new Response(request.method === 'HEAD' ? null : hub.open(feed, signal), { headers: SSE_HEADERS })
}
