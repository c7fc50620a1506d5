// Analysis by a language model: part by part, then the parts as one (map and reduce). Each part is a step of the job, so
// an interrupted analysis goes on behind the last part. What the model says of segments is checked against them.

import type { Answer } from '../engines/extractive/types.ts'
import { DEFAULT_LABEL } from '../engines/extractive/axes.ts'
import { type AxisLabels, saysSomething, type Statement } from '../engines/extractive/statement.ts'
import type { GenerateRequest, LanguageModel } from '../engines/llm/language-model.ts'
import type { Prompt } from '../engines/llm/prompt.ts'
import type { Infer, Schema } from '../lib/schema.ts'
import { answerSchemaOf, mergeExtractions } from './answer-schema.ts'
import { type Chunk, chunksOf } from './chunks.ts'
import {
  type AnalysisEngine,
  EMPTY_SUMMARY,
  type Extracted,
  type ExtractRequest,
  NO_TOKENS,
  NOT_FOUND,
  type Outcome,
  type PostTexts,
  type Segments,
  type Summary,
  sumTokens,
  type Work,
} from './engine.ts'
import { clipped, mergeEntities, mergeSubjects } from './merge.ts'
import {
  answerQuestion,
  AxesForm,
  axesOfText,
  ClaimForm,
  claimOfPost,
  combine,
  combineAnswers,
  CombinedAnswer,
  CombinedSummary,
  extractFields,
  PartialAnswer,
  PartialSummary,
  SUMMARISE,
  transcriptPrefix,
} from './prompts.ts'

/** Partial summaries that are combined at once; more are combined in groups first. */
const COMBINED_MAX = 8
const RELEVANT_MAX = 8
const POST_CHARACTERS_MAX = 6_000
const ANSWER_TOKENS_MAX = 1_500
/** Of an answer with many fields. */
const EXTRACTION_TOKENS_MAX = 3_000

interface Asked<S extends Schema> {
  /** Tells the steps of one job apart. */
  readonly step: string
  readonly prefix: Prompt
  readonly prompt: Prompt
  readonly schema: S
  readonly maxTokens?: number
}

interface AskedOfEach<S extends Schema> extends Pick<Asked<S>, 'step' | 'prompt' | 'schema' | 'maxTokens'> {
  /** What of it is the caller's, and so of any length. */
  readonly callers?: string
}

interface Parts<T> {
  readonly values: readonly T[]
  readonly chunks: readonly Chunk[]
  readonly outcomes: readonly Outcome<T>[]
}

/** `timeoutMs`: of each request to the model. */
export function createLlmEngine(model: LanguageModel, timeoutMs: number): AnalysisEngine {
  /** Another model's results must not be taken for this one's when the model was changed between two attempts. */
  const own = `${model.engine.name}:${model.engine.model}`

  /** A small context must hold more than answers. */
  function answerTokens(wanted = ANSWER_TOKENS_MAX): number {
    return Math.min(wanted, Math.floor(model.contextTokens / 3))
  }

  async function ask<S extends Schema>(asked: Asked<S>, work: Work): Promise<Outcome<Infer<S>>> {
    return work.step(`${own} ${asked.step}`, async () => {
      work.signal.throwIfAborted()
      const { prefix, prompt, schema, maxTokens } = asked
      const limits = { maxTokens: answerTokens(maxTokens), timeoutMs }
      const request: GenerateRequest<S> = { prefix, prompt, schema, limits, signal: work.signal }
      const { value, usage } = await model.generate(request)
      return { value, tokens: { prompt: usage.promptTokens, completion: usage.completionTokens } }
    })
  }

  async function askEach<S extends Schema>(
    segments: Segments,
    { step, callers = '', ...asked }: AskedOfEach<S>,
    work: Work,
  ): Promise<Parts<Infer<S>>> {
    const chunks = await chunksOf(model, segments, {
      asked: callers,
      answerTokens: answerTokens(asked.maxTokens),
      signal: work.signal,
    })
    const outcomes: Outcome<Infer<S>>[] = []
    for (const [part, chunk] of chunks.entries()) {
      const prefix = transcriptPrefix(chunk, part, chunks.length)
      outcomes.push(await ask({ ...asked, step: `${step} ${part}`, prefix }, work))
      // The rest is for putting the parts together.
      work.report((part + 1) / (chunks.length + 1))
    }
    return { chunks, outcomes, values: outcomes.map(({ value }) => value) }
  }

  /** One text of many, in groups when they are more than a model reads at once. */
  async function combined(texts: readonly string[], level: number, work: Work): Promise<Outcome<string>> {
    const [first = ''] = texts
    if (texts.length <= 1) return { value: first, tokens: NO_TOKENS }
    const outcomes: Outcome<string>[] = []
    for (let from = 0; from < texts.length; from += COMBINED_MAX) {
      const group = texts.slice(from, from + COMBINED_MAX)
      if (group.length === 1) {
        outcomes.push({ value: group[0] ?? '', tokens: NO_TOKENS })
        continue
      }
      const step = `combine ${level} ${from}`
      const { value, tokens } = await ask({ step, ...combine(group), schema: CombinedSummary }, work)
      outcomes.push({ value: value.summary, tokens })
    }
    const rest = await combined(
      outcomes.map(({ value }) => value),
      level + 1,
      work,
    )
    return { value: rest.value, tokens: sumTokens(rest.tokens, ...outcomes.map(({ tokens }) => tokens)) }
  }

  async function summarise(segments: Segments, work: Work): Promise<Outcome<Summary>> {
    const asked = { step: 'summary', prompt: SUMMARISE, schema: PartialSummary }
    const { chunks, outcomes, values } = await askEach(segments, asked, work)
    if (values.length === 0) return { value: EMPTY_SUMMARY, tokens: NO_TOKENS }
    const whole = await combined(
      values.map(({ summary }) => summary.trim()).filter((text) => text !== ''),
      1,
      work,
    )
    const bests = values.map(({ best_segment }, part) => inChunk(best_segment, chunks[part]))
    return {
      value: {
        summary: whole.value,
        people: mergeEntities(
          values.flatMap(({ people }) => people),
          segments,
        ),
        places: mergeEntities(
          values.flatMap(({ places }) => places),
          segments,
        ),
        keySubjects: mergeSubjects(values.flatMap(({ key_subjects }) => key_subjects)),
        bestSegmentIndex: bests[0] ?? chunks[0]?.[0]?.index ?? -1,
      },
      tokens: sumTokens(whole.tokens, ...outcomes.map(({ tokens }) => tokens)),
    }
  }

  async function answer(segments: Segments, question: string, work: Work): Promise<Outcome<Answer>> {
    const prompt = answerQuestion(question)
    const asked = { step: 'answer', prompt, schema: PartialAnswer, callers: question }
    const { chunks, outcomes, values } = await askEach(segments, asked, work)
    const tokens = sumTokens(...outcomes.map((outcome) => outcome.tokens))
    const found = values.flatMap((value, part) => partialAnswer(value, chunks[part]) ?? [])
    const [first, ...more] = found
    if (!first) return { value: NOT_FOUND, tokens }
    if (more.length === 0) return { value: first, tokens }
    const texts = found.map((part) => part.answer).slice(0, COMBINED_MAX)
    const request = { step: 'answers', ...combineAnswers(question, texts), schema: CombinedAnswer }
    const whole = await ask(request, work)
    const best = found[whole.value.best - 1] ?? first
    const others = found.flatMap((part) => part.relevantSegmentIndexes)
    const value: Answer = {
      found: true,
      answer: whole.value.answer.trim() || best.answer,
      bestSegmentIndex: best.bestSegmentIndex,
      relevantSegmentIndexes: [...new Set([...best.relevantSegmentIndexes, ...others])].slice(
        0,
        RELEVANT_MAX,
      ),
    }
    return { value, tokens: sumTokens(tokens, whole.tokens) }
  }

  async function extract(
    segments: Segments,
    { schema, instruction }: ExtractRequest,
    work: Work,
  ): Promise<Outcome<Extracted>> {
    const asked = {
      step: 'extract',
      prompt: extractFields(instruction),
      schema: answerSchemaOf(schema),
      // Read twice: as the form of the answer and, by some servers, as its JSON schema.
      callers: instruction + JSON.stringify(schema).repeat(2),
      maxTokens: EXTRACTION_TOKENS_MAX,
    }
    const { outcomes, values } = await askEach(segments, asked, work)
    return {
      value: mergeExtractions(schema, values),
      tokens: sumTokens(...outcomes.map(({ tokens }) => tokens)),
    }
  }

  async function statement(post: PostTexts, work: Work): Promise<Outcome<Statement>> {
    // A third of the context, by the rule of thumb of three characters a token, for the three texts together.
    const characters = Math.min(POST_CHARACTERS_MAX, Math.floor(model.contextTokens / 3))
    const clip = (text: string): string => clipped(text, characters)
    const claim = await ask({ step: 'claim', ...claimOfPost(post, clip), schema: ClaimForm }, work)
    work.report(0.5)
    const axes = await axesOf(clip(post.text), work)
    return { value: { ...claim.value, ...axes.value }, tokens: sumTokens(claim.tokens, axes.tokens) }
  }

  /** Its labels are those of the axes: the form names them, and the answer was validated against it. */
  async function axesOf(text: string, work: Work): Promise<Outcome<AxisLabels>> {
    if (!saysSomething(text)) return { value: DEFAULT_LABEL, tokens: NO_TOKENS }
    return ask({ step: 'axes', ...axesOfText(text), schema: AxesForm }, work)
  }

  const { name, model: id } = model.engine
  return { engine: { name, model: id }, summarise, answer, extract, statement }
}

/** A segment that the model was not shown is none of its business. */
function inChunk(segment: number, chunk: Chunk | undefined): number | undefined {
  return chunk?.some(({ index }) => index === segment) ? segment : undefined
}

/** An answer that points nowhere stands on nothing: it counts as not found. */
function partialAnswer(value: Infer<typeof PartialAnswer>, chunk: Chunk | undefined): Answer | undefined {
  if (!value.found || value.answer.trim() === '') return undefined
  const relevant = value.relevant_segments.filter((segment) => inChunk(segment, chunk) !== undefined)
  const best = inChunk(value.best_segment, chunk) ?? relevant[0]
  if (best === undefined) return undefined
  return {
    found: true,
    answer: value.answer.trim(),
    bestSegmentIndex: best,
    relevantSegmentIndexes: [...new Set([best, ...relevant])],
  }
}
