// What language models are asked, as data: every instruction there is, and the forms of their answers. Whatever comes from
// transcripts and callers is put in by the tag `prompt`, which marks it as data.

import { AXES, type Axis } from '../engines/extractive/axes.ts'
import { type Prompt, prompt } from '../engines/llm/prompt.ts'
import { t } from '../lib/schema.ts'
import type { Chunk } from './chunks.ts'
import type { PostTexts } from './engine.ts'

/** First, and the same for every question about this part, so that a model reads it once. */
export function transcriptPrefix(chunk: Chunk, part: number, parts: number): Prompt {
  const lines = chunk.map(({ index, text }) => `[${index}] ${text.replaceAll(/\s+/g, ' ')}`).join('\n')
  const which =
    parts > 1 ? prompt`This is part ${part + 1} of ${parts} of a transcript.` : prompt`This is a transcript.`
  return prompt`${which} Each line is one segment and begins with its number in brackets.\n${lines}\n\n`
}

const segment = (description: string) => t.Integer({ minimum: 0, maximum: 999_999, description })
const name = (description: string) => t.String({ minLength: 1, maxLength: 80, description })

const entities = (description: string) =>
  t.Array(
    t.Object({
      name: name('the full name as it is said'),
      segment: segment('number of the segment that says most about it'),
    }),
    { maxItems: 12, description },
  )

export const PartialSummary = t.Object({
  summary: t.String({ maxLength: 1_200, description: 'what is said, in three to six sentences' }),
  best_segment: segment('number of the segment that stands best for the whole'),
  people: entities('persons who are named or speak under their name'),
  places: entities('cities, countries, rivers, streets and other places that are named'),
  key_subjects: t.Array(
    t.Object({
      name: name('subject in one to four words'),
      description: t.String({ maxLength: 240, description: 'what is said about it, in one sentence' }),
      importance: t.Union([t.Literal('high'), t.Literal('medium'), t.Literal('low')]),
    }),
    { maxItems: 8, description: 'what it is about, the most important first' },
  ),
})

export const SUMMARISE = prompt`Summarise this transcript for somebody who has not heard it. Name persons, places and subjects only when the transcript does. Write in the language of the transcript.`

export const CombinedSummary = t.Object({
  summary: t.String({
    maxLength: 1_600,
    description: 'one summary of the whole, in four to eight sentences',
  }),
})

export function combine(summaries: readonly string[]): { prefix: Prompt; prompt: Prompt } {
  const lines = summaries.map((text, index) => `(${index + 1}) ${text.replaceAll(/\s+/g, ' ')}`).join('\n')
  return {
    prefix: prompt`These are summaries of the parts of one recording, in order.\n${lines}\n\n`,
    prompt: prompt`Make one summary of the whole recording of them. Add nothing that they do not say. Write in their language.`,
  }
}

export const PartialAnswer = t.Object({
  found: t.Boolean({ description: 'true only when the transcript itself answers the question' }),
  answer: t.String({
    maxLength: 600,
    description: 'the answer in one to three sentences; empty when not found',
  }),
  best_segment: segment('number of the segment that answers best; 0 when not found'),
  relevant_segments: t.Array(segment('number of a segment that belongs to the answer'), {
    maxItems: 8,
    description: 'the best first; empty when not found',
  }),
})

export function answerQuestion(question: string): Prompt {
  return prompt`Answer this question from the transcript alone: ${question}\nWhen the transcript does not answer it, say that it is not found. Do not guess. Answer in the language of the question.`
}

export const CombinedAnswer = t.Object({
  answer: t.String({ maxLength: 800, description: 'one answer to the question, in one to four sentences' }),
  best: t.Integer({
    minimum: 1,
    maximum: 999,
    description: 'number of the partial answer that answers best',
  }),
})

export function combineAnswers(
  question: string,
  answers: readonly string[],
): { prefix: Prompt; prompt: Prompt } {
  const lines = answers.map((text, index) => `(${index + 1}) ${text.replaceAll(/\s+/g, ' ')}`).join('\n')
  return {
    prefix: prompt`Parts of one recording were asked the same question. These are their answers.\n${lines}\n\n`,
    prompt: prompt`The question was: ${question}\nMake one answer of them. Add nothing that they do not say.`,
  }
}

export function extractFields(instruction: string): Prompt {
  const wish = instruction === '' ? prompt`` : prompt` Whoever asks says what to extract: ${instruction}`
  return prompt`Fill in the fields from the transcript.${wish}\nA value that the transcript does not say is null, or an empty list. Do not guess.`
}

/** One of the axis's labels: one part of a grammar, however many there are. */
function axis(name: Axis) {
  const labels = Object.entries(AXES[name]).map(([label, meaning]) => `${label}: ${meaning}`)
  return t.String({ enum: Object.keys(AXES[name]), description: labels.join(' ') })
}

/** What a post claims, by all that is known of it. */
export const ClaimForm = t.Object({
  final_statement: t.String({
    maxLength: 500,
    description: 'the claim of the post in the voice of its author',
  }),
  statement_query: t.String({
    maxLength: 160,
    description: 'words to search the web with for checking the claim',
  }),
  detailed_analysis: t.String({
    maxLength: 1_200,
    description: 'three to five sentences: claim, context, evidence, stance of the author',
  }),
  topics: t.Array(name('topic in one to three words'), { minItems: 3, maxItems: 8 }),
  entities: t.Array(name('person, organisation or place that the post names'), { maxItems: 8 }),
})

/** What kind of text it is, by the text alone. */
export const AxesForm = t.Object({
  claim_type: axis('claim_type'),
  intent: axis('intent'),
  tone: axis('tone'),
  emotion: axis('emotion'),
  authority: axis('authority'),
})

interface PrefixedPrompt {
  readonly prefix: Prompt
  readonly prompt: Prompt
}

/** `clip` bounds each text: a post is short, what it shows may be long. */
export function claimOfPost(post: PostTexts, clip: (text: string) => string): PrefixedPrompt {
  const media =
    post.mediaText === '' ? prompt`` : prompt`What is said and shown in its media:\n${clip(post.mediaText)}\n`
  const quoted = post.quotedText === '' ? prompt`` : prompt`What it quotes:\n${clip(post.quotedText)}\n`
  return {
    prefix: prompt`This is a post of a social network.\n${clip(post.text)}\n${media}${quoted}\n`,
    prompt: prompt`Say what the post claims. Add nothing that is not there. Write in the language of the post.`,
  }
}

/** Takes the text alone, so that nothing else can reach the prompt that judges it. */
export function axesOfText(text: string): PrefixedPrompt {
  return {
    prefix: prompt`This is the text of a post of a social network.\n${text}\n\n`,
    prompt: prompt`Judge claim type, intent, tone, emotion and authority of this text, by its words alone.`,
  }
}
