// Who answers: the language model where there is one, else the built-in engine.

import type { App } from '../app.ts'
import { Problem } from '../lib/problem.ts'
import { SECOND } from '../lib/time.ts'
import { createBuiltinEngine } from './builtin-engine.ts'
import type { AnalysisEngine } from './engine.ts'
import { createLlmEngine } from './llm-engine.ts'

/**
 * The engine that is chosen now; asked anew for each task, so that an installed model is used at once. Rejects with
 * `extraction_failed` when the model that was configured cannot be had: the operator's mistake, not the caller's.
 */
export async function chooseEngine(app: Pick<App, 'config' | 'engines'>): Promise<AnalysisEngine> {
  const model = await app.engines.llm.find().catch((error: unknown) => {
    if (!(error instanceof Problem) || error.httpStatus >= 500) throw error
    throw new Problem('extraction_failed', error.message, { cause: error })
  })
  return model ? createLlmEngine(model, app.config.llmTimeoutS * SECOND) : createBuiltinEngine(app)
}
