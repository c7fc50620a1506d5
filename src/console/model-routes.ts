// Models, for the operator: what is installed, what suits this machine, downloads, and which one is used.

import type { SessionGuards } from '../accounts/guard.ts'
import type { App } from '../app.ts'
import { MODEL_TASKS } from '../engines/model-catalogue.ts'
import { modelRecord } from '../engines/model-record.ts'
import { answer, success } from '../http/envelope.ts'
import { type Route, route } from '../http/route.ts'
import { Problem } from '../lib/problem.ts'
import { type Infer, t } from '../lib/schema.ts'
import { createPulls, type Pull, type Pulls } from './pulls.ts'
import { CONSOLE, nullable, wrapped } from './spec.ts'

const text = t.String()
const modelTask = t.Union(MODEL_TASKS.map((task) => t.Literal(task)))

const PullRecord = t.Object({
  state: t.Union([
    t.Literal('waiting'),
    t.Literal('running'),
    t.Literal('completed'),
    t.Literal('failed'),
    t.Literal('cancelled'),
  ]),
  file_name: nullable(text),
  received_bytes: t.Integer(),
  total_bytes: nullable(t.Integer()),
  message: nullable(text),
})

const ModelList = t.Object({
  hub: nullable(t.String({ description: 'Where models are downloaded from; null: nowhere' })),
  models: t.Array(
    t.Object({
      id: text,
      task: modelTask,
      name: text,
      languages: t.Array(t.String({ description: '`*`: many' })),
      licence: text,
      size_bytes: nullable(t.Integer()),
      memory_bytes: t.Integer(),
      state: t.Union([t.Literal('embedded'), t.Literal('installed'), t.Literal('absent')]),
      in_use: t.Boolean(),
      recommended: t.Boolean({ description: 'The best for its task that this machine can run' }),
      notes: text,
      pull: nullable(PullRecord),
    }),
  ),
  choices: t.Array(
    t.Object({
      task: modelTask,
      model: nullable(text),
      why: nullable(t.Union([t.Literal('configured'), t.Literal('used'), t.Literal('best')])),
      fault: nullable(t.String({ description: 'Why no model can be used' })),
    }),
  ),
})

export type ModelData = Infer<typeof ModelList>

export function modelRoutes(app: App, { operator }: SessionGuards): readonly Route[] {
  const pulls = createPulls(app)
  const { models } = app.engines
  const spec = { ...CONSOLE, auth: operator, responses: { 200: wrapped(ModelList) } }
  const list = async () => answer(200, success(await modelList(app, pulls)))
  return [
    route(
      { ...spec, method: 'GET', path: '/models', summary: 'All models, and which one each task uses' },
      list,
    ),
    route(
      {
        ...spec,
        method: 'POST',
        path: '/models/{model_id}/pull',
        summary: 'Download a model in the background',
      },
      async ({ params }) => {
        await pulls.start(params.model_id)
        return await list()
      },
    ),
    route(
      { ...spec, method: 'DELETE', path: '/models/{model_id}/pull', summary: 'Stop the download' },
      async ({ params }) => {
        pulls.cancel(params.model_id)
        return await list()
      },
    ),
    route(
      { ...spec, method: 'DELETE', path: '/models/{model_id}', summary: 'Delete the files of a model' },
      async ({ params }) => {
        await models.remove(params.model_id)
        return await list()
      },
    ),
    route(
      {
        ...spec,
        method: 'POST',
        path: '/models/use',
        summary: "Make a model its task's default, or go back to the best one",
        body: t.Object({ model: t.Optional(text), task: t.Optional(modelTask) }),
      },
      async ({ body }) => {
        if ((body.model === undefined) === (body.task === undefined)) {
          throw new Problem(
            'missing_parameter',
            'Send either "model", or "task" to go back to the best model for it.',
          )
        }
        if (body.model !== undefined) await models.use(body.model)
        else if (body.task !== undefined) models.clearUse(body.task)
        return await list()
      },
    ),
  ]
}

async function modelList({ config, engines: { models } }: App, pulls: Pulls): Promise<ModelData> {
  const states = await models.list()
  const choices = await Promise.all(
    MODEL_TASKS.map(async (task) => {
      try {
        const choice = await models.findChoice(task)
        return { task, model: choice?.id ?? null, why: choice?.why ?? null, fault: null }
      } catch (error) {
        if (error instanceof Problem) return { task, model: null, why: null, fault: error.message }
        throw error
      }
    }),
  )
  return {
    hub: config.offline ? null : (config.modelHub ?? null),
    models: states.map((state) => {
      const { id, name, licence, notes, ...record } = modelRecord(state)
      return {
        id,
        name,
        licence,
        notes,
        task: state.model.task,
        languages: [...record.languages],
        size_bytes: record.size_bytes,
        memory_bytes: record.memory_bytes,
        state: record.state,
        in_use: record.in_use,
        recommended: record.recommended,
        pull: pullRecord(pulls.find(id)),
      }
    }),
    choices,
  }
}

function pullRecord(pull: Pull | undefined): ModelData['models'][0]['pull'] {
  if (!pull) return null
  return {
    state: pull.state,
    file_name: pull.fileName,
    received_bytes: pull.receivedBytes,
    total_bytes: pull.totalBytes,
    message: pull.message,
  }
}
