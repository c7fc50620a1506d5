// Other names of endpoints, for clients that were written for them: one table. An alias is its target in everything –
// permission, rate limit, Idempotency-Key, answer – but for its path and the names of a few fields.

import { Problem } from '../lib/problem.ts'
import { type Schema, t } from '../lib/schema.ts'
import type { Route } from './route.ts'

interface Alias {
  readonly alias: string
  /** Below /v1; what lies below it is meant too, such as `/async` and the poll. */
  readonly target: string
  /** Fields of the body: the alias's name → the target's. Both are understood. */
  readonly fields?: Readonly<Record<string, string>>
}

const ALIASES: readonly Alias[] = [
  { alias: '/tweet/statement', target: '/post/statement', fields: { tweet_id: 'post_id' } },
  { alias: '/tiktok/profile', target: '/shortvideo/profile' },
  { alias: '/tiktok/search', target: '/shortvideo/search' },
  { alias: '/youtube/search', target: '/search/video' },
]

/** The routes under their other names. */
export function aliasRoutes(routes: readonly Route[]): readonly Route[] {
  return ALIASES.flatMap((alias) =>
    routes
      .filter(({ base, path }) => base === '/v1' && isBelow(path, alias.target))
      .map((target) => aliasRoute(alias, target)),
  )
}

function isBelow(path: string, top: string): boolean {
  return path === top || path.startsWith(`${top}/`)
}

function aliasRoute({ alias, target: top, fields = {} }: Alias, target: Route): Route {
  const endpoint = `${target.method} ${target.path}`
  const renamed = Object.entries(target.body ? fields : {}).map(([own, theirs]) => `${own} is ${theirs}`)
  return {
    ...target,
    path: alias + target.path.slice(top.length),
    aliasOf: endpoint,
    summary: `Alias of ${endpoint}`,
    description: [`The same as ${endpoint}, under the name that older clients know`, ...renamed].join('; '),
    body: target.body && withNames(target.body, fields),
    form: target.form && withNames(target.form, fields),
    async run(exchange) {
      try {
        return await target.run({ ...exchange, endpoint, fieldNames: fields })
      } catch (error) {
        throw error instanceof Problem ? inNames(error, fields) : error
      }
    },
  }
}

/** For the reference: validation sees the target's own names. */
function withNames(schema: Schema, fields: Readonly<Record<string, string>>): Schema {
  const own = new Map(Object.entries(fields).map(([alias, target]) => [target, alias]))
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>
  return t.Object(
    Object.fromEntries(Object.entries(properties).map(([name, part]) => [own.get(name) ?? name, part])),
  )
}

/** Whoever wrote `tweet_id` is told about "tweet_id". */
function inNames(problem: Problem, fields: Readonly<Record<string, string>>): Problem {
  const { code, cause, temporary, retryAfterS } = problem
  const message = Object.entries(fields).reduce(
    (text, [alias, target]) => text.replaceAll(`"${target}"`, `"${alias}"`),
    problem.message,
  )
  return new Problem(code, message, {
    cause,
    temporary,
    ...(retryAfterS === undefined ? {} : { retryAfterS }),
  })
}
