// Namespaces in the API. Where the contract's published bodies are odd (a 404 with a message alone), they are kept.

import type { Guard } from '../accounts/guard.ts'
import type { App } from '../app.ts'
import { type Answer, answer, success } from '../http/envelope.ts'
import { type Route, route } from '../http/route.ts'
import { type Infer, t } from '../lib/schema.ts'
import { isoTime } from '../lib/time.ts'
import {
  createNamespace,
  deleteNamespace,
  findNamespace,
  listNamespaces,
  type Namespace,
  renameNamespace,
} from './namespaces.ts'

const id = t.String({ format: 'uuid' })

const NamespaceRecord = t.Object({
  id,
  _id: t.String({ format: 'uuid', description: 'The same as `id`' }),
  user_id: t.String({ format: 'uuid', description: 'The account' }),
  name: t.String(),
  created_at: t.String({ format: 'date-time' }),
  updated_at: t.String({ format: 'date-time' }),
})

const NameBody = t.Object({ name: t.String({ examples: ['interviews'] }) })
const Done = t.Object({ status: t.Literal('success'), message: t.String() })
const Unknown = t.Object(
  { status: t.Literal('error'), message: t.String() },
  { description: 'No such namespace' },
)

export function namespaceRoutes(app: App, auth: Guard): readonly Route[] {
  return [listRoute(app, auth), createRoute(app, auth), renameRoute(app, auth), deleteRoute(app, auth)]
}

function listRoute(app: App, auth: Guard): Route {
  return route(
    {
      method: 'GET',
      path: '/namespaces',
      tag: 'Namespaces',
      summary: 'Namespaces of the account',
      auth: auth('files:read'),
      responses: { 200: t.Object({ status: t.Literal('success'), data: t.Array(NamespaceRecord) }) },
    },
    ({ caller }) => answer(200, success(listNamespaces(app, caller.account.id).map(recordOf))),
  )
}

function createRoute(app: App, auth: Guard): Route {
  return route(
    {
      method: 'POST',
      path: '/namespaces',
      tag: 'Namespaces',
      summary: 'Create a namespace',
      auth: auth('files:write'),
      body: NameBody,
      responses: { 201: t.Object({ status: t.Literal('success'), data: NamespaceRecord }) },
    },
    ({ caller, body }) => answer(201, success(recordOf(createNamespace(app, caller.account, body.name)))),
  )
}

function renameRoute(app: App, auth: Guard): Route {
  return route(
    {
      method: 'PUT',
      path: '/namespaces/{namespace_id}',
      tag: 'Namespaces',
      summary: 'Rename a namespace',
      auth: auth('files:write'),
      body: NameBody,
      responses: { 200: Done, 404: Unknown },
    },
    ({ caller, params, body }) => {
      const namespace = findNamespace(app, caller.account.id, params.namespace_id)
      if (!namespace) return unknown()
      renameNamespace(app, namespace, body.name)
      return answer(200, { status: 'success', message: 'The namespace was renamed.' })
    },
  )
}

function deleteRoute(app: App, auth: Guard): Route {
  return route(
    {
      method: 'DELETE',
      path: '/namespaces/{namespace_id}',
      tag: 'Namespaces',
      summary: 'Delete a namespace; its files stay',
      auth: auth('files:write'),
      responses: { 200: Done, 404: Unknown },
      errors: ['invalid_parameter'],
    },
    ({ caller, params }) => {
      const namespace = findNamespace(app, caller.account.id, params.namespace_id)
      if (!namespace) return unknown()
      deleteNamespace(app, namespace)
      return answer(200, { status: 'success', message: 'The namespace was deleted.' })
    },
  )
}

function unknown(): Answer<Infer<typeof Unknown>> {
  return answer(404, { status: 'error', message: 'The account has no such namespace.' })
}

function recordOf(namespace: Namespace): Infer<typeof NamespaceRecord> {
  return {
    id: namespace.id,
    _id: namespace.id,
    user_id: namespace.accountId,
    name: namespace.name,
    created_at: isoTime(namespace.createdAt),
    updated_at: isoTime(namespace.updatedAt),
  }
}
