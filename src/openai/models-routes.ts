// GET /models and /models/{model}, as clients of OpenAI's API ask before they send a recording.

import type { Guard } from '../accounts/guard.ts'
import type { App } from '../app.ts'
import { answer } from '../http/envelope.ts'
import { type Route, route } from '../http/route.ts'
import { type Infer, t } from '../lib/schema.ts'
import { openAiFailure } from './errors.ts'
import { getModel, listModels, type ListedModel } from './models.ts'

const Model = t.Object({
  id: t.String({ examples: ['whisper-1'] }),
  object: t.Literal('model'),
  created: t.Integer({ description: 'Not known here: 0' }),
  owned_by: t.String(),
})

export function modelRoutes(app: App, auth: Guard): readonly Route[] {
  return [
    route(
      {
        method: 'GET',
        path: '/models',
        tag: 'OpenAI',
        summary: 'Speech models that recordings can be sent to',
        auth: auth('transcribe'),
        responses: { 200: t.Object({ object: t.Literal('list'), data: t.Array(Model) }) },
        failure: openAiFailure,
      },
      async () => answer(200, { object: 'list' as const, data: (await listModels(app)).map(modelOf) }),
    ),
    route(
      {
        method: 'GET',
        path: '/models/{model}',
        tag: 'OpenAI',
        summary: 'One speech model',
        auth: auth('transcribe'),
        responses: { 200: Model },
        errors: ['model_not_found'],
        failure: openAiFailure,
      },
      async ({ params }) => answer(200, modelOf(await getModel(app, params.model))),
    ),
  ]
}

function modelOf({ id, owner }: ListedModel): Infer<typeof Model> {
  return { id, object: 'model', created: 0, owned_by: owner }
}
