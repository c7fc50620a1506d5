// Moonshine tiny as a speech engine: English only, always there. It gives text without times; what the model itself
// does not believe, or says over and over, is dropped here.

import { withoutLoops } from './loops.ts'
import type { Onnx } from './onnx.ts'
import { timeSentences } from './sentence-times.ts'
import { SAMPLES_PER_MS, type Span, type SpeechEngine, type WindowLimits } from './speech-engine.ts'
import { divideWords } from './word-groups.ts'

export const MOONSHINE_MODEL_ID = 'moonshine-tiny-en'

/**
 * Long windows lose punctuation and words; a word or two alone is often misheard, so a window waits for more, however
 * long the pause. Measured on the sample recordings: word error rate within two points for all sensible limits,
 * sentence starts best when windows end at clear pauses.
 */
const WINDOW_LIMITS: WindowLimits = {
  minMs: 6_000,
  maxMs: 14_000,
  cutAt: 'longest',
  tailMs: 4_000,
  breakPauseMs: 500,
  closePauseMs: 600_000,
  keptPauseMs: 1_500,
}
/** Mean log probability below which the text is a guess: speech of any quality is at -0.04 … -0.6. */
const MIN_CONFIDENCE = -1
/** No sentence goes on over such a pause. A little less than what is kept of a pause that was shortened. */
const GROUP_PAUSE_MS = WINDOW_LIMITS.keptPauseMs - 100
const GROUP_PAD_MS = 200

/** The ONNX child does the work; it is shared with the voice-activity detector and closed by its owner. */
export function createMoonshine(onnx: Onnx): SpeechEngine {
  async function hear(samples: Int16Array, signal: AbortSignal): Promise<string[]> {
    const { text, confidence } = await onnx.moonshine(samples, signal)
    const words = withoutLoops(text.split(' '), (word) =>
      word.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, ''),
    )
    return confidence >= MIN_CONFIDENCE && /[\p{L}\p{N}]/u.test(text) ? words : []
  }

  return {
    modelId: MOONSHINE_MODEL_ID,
    multilingual: false,
    windowLimits: WINDOW_LIMITS,
    async transcribeWindow({ startMs, samples, utterances }, { signal }) {
      const words = await hear(samples, signal)
      const groups = groupUtterances(utterances)
      const heard: string[][] = []
      // Heard again by themselves, only to learn which words were said before which pause.
      for (const group of groups.length > 1 && words.length > 0 ? groups : []) {
        const from = (group[0]?.startMs ?? startMs) - startMs - GROUP_PAD_MS
        const to = (group.at(-1)?.endMs ?? startMs) - startMs + GROUP_PAD_MS
        const part = samples.subarray(Math.max(0, from * SAMPLES_PER_MS), to * SAMPLES_PER_MS)
        heard.push((await hear(part, signal)).flatMap((word) => word.split('-')))
      }
      const texts = heard.length > 0 ? divideWords(words, heard) : [words]
      const segments = texts.flatMap((part, index) =>
        timeSentences(part.join(' '), (heard.length > 0 ? groups[index] : undefined) ?? utterances),
      )
      return { language: 'en', segments }
    },
    close: () => onnx.stop(),
  }
}

/** Utterances between which there are no long pauses. */
function groupUtterances(utterances: readonly Span[]): Span[][] {
  const groups: Span[][] = []
  for (const span of utterances) {
    const group = groups.at(-1)
    const last = group?.at(-1)
    if (group && last && span.startMs - last.endMs < GROUP_PAUSE_MS) group.push(span)
    else groups.push([span])
  }
  return groups
}
