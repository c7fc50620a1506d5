// What the ONNX child must know to run a model for text: encoders (text → vector) and rerankers (query, text → score).

import { join } from 'node:path'
import { Problem } from '../lib/problem.ts'
import { type Infer, parser, t } from '../lib/schema.ts'
import { type Model, type TextTraits, USE_LITE_MODEL_ID } from './model-catalogue.ts'
import type { ChosenModel } from './model-choice.ts'

/** The one format of downloaded text models: an ONNX graph with a Hugging Face tokenizer.json beside it. */
const FORMAT = 'transformers-onnx'

const TextModelSchema = t.Object({
  /** Absolute path; null for the embedded encoder. */
  modelPath: t.Union([t.String(), t.Null()]),
  /** Folder of tokenizer.json and, if the model has one, tokenizer_config.json. */
  tokenizerFolder: t.Union([t.String(), t.Null()]),
  maxTokens: t.Integer({ minimum: 8 }),
  pooling: t.Union([t.Literal('mean'), t.Literal('first')]),
  queryPrefix: t.String(),
  passagePrefix: t.String(),
})
export const TEXT_MODEL = parser(TextModelSchema)
export type TextModel = Infer<typeof TextModelSchema>

/** How the model is to be run. Throws Problem when no engine here can. */
export function textModelOf(model: ChosenModel): TextModel {
  const traits = traitsOf(model)
  const { maxTokens, pooling, queryPrefix, passagePrefix } = traits
  const common = { maxTokens, pooling, queryPrefix, passagePrefix }
  if (model.id === USE_LITE_MODEL_ID) return { modelPath: null, tokenizerFolder: null, ...common }
  if (model.format !== FORMAT || model.path === undefined || model.folder === undefined) throw noEngine(model)
  const tokenizer = model.files.find((file) => file.name.endsWith('tokenizer.json'))
  if (!tokenizer) throw noEngine(model)
  return {
    modelPath: model.path,
    tokenizerFolder: join(model.folder, tokenizer.name, '..'),
    ...common,
  }
}

/** What the catalogue or the manifest says about a model for text. Throws Problem when it says nothing. */
export function traitsOf(model: Model): TextTraits {
  if (model.text) return model.text
  throw noEngine(model)
}

function noEngine(model: Model): Problem {
  return new Problem(
    'internal_server_error',
    `No engine can run the model ${model.id} (format ${model.format}, task ${model.task}). ` +
      'Choose another with "earshot models use".',
  )
}
