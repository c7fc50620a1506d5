// What the doctor asks the language model: one simple question with a constrained answer, for real.

import type { App } from '../app.ts'
import { prompt } from '../engines/llm/prompt.ts'
import { t } from '../lib/schema.ts'
import { SECOND } from '../lib/time.ts'
import { type Finding, ok, type Part, warning } from './finding.ts'

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'] as const
const SCHEMA = t.Object({ day: t.Union(DAYS.map((day) => t.Literal(day))) })

export const LLM_PART: Part = { name: 'llm', required: false, examine: examineLlm }

async function examineLlm(app: App, signal: AbortSignal): Promise<Finding> {
  const model = await app.engines.llm.find()
  if (!model) {
    const states = await app.engines.models.list()
    const better = states.find(({ recommended, model: { task } }) => recommended && task === 'llm')?.model
    const advice = better ? `; for better answers: earshot models pull ${better.id}` : ''
    return ok(`no model installed: the built-in engine answers${advice}`)
  }
  const startedAt = performance.now()
  const { value, usage, engine } = await model.generate({
    prefix: prompt`Transcript: ${'We meet at the harbour on Tuesday, and on Friday the boats go out.'}\n`,
    prompt: prompt`Question: ${'On which day do we meet?'}`,
    schema: SCHEMA,
    signal,
  })
  const seconds = ((performance.now() - startedAt) / SECOND).toFixed(1)
  const name = `${engine.model} (${engine.name})`
  const figures = `${seconds} s with loading, ${usage.promptTokens} + ${usage.completionTokens} tokens`
  if (value.day === 'Tuesday') return ok(`${name}, ${figures}, the test question is answered rightly`)
  return warning(
    `${name}, ${figures}: answers in the right form, but took ${value.day} for Tuesday; choose a larger model with "earshot models use"`,
  )
}
