// Whether a text is mostly English, told by its small words: cheap, and good enough to say so when it is not.

import { wordsOf } from './words.ts'

const COMMON = new Set(
  (
    'the of and to a in is it you that he was for on are with as i his they be at one have this from or had by but what ' +
    'all were we when your can said there an each which she do how their if will up about out many then them these so ' +
    'some her would make like him into has more my no not our me too'
  ).split(' '),
)
/** Small words of other languages that English does not have. */
const FOREIGN = new Set(
  (
    'der die das und ist nicht ein eine ich wir sie mit auf für den dem el la los las que una por para con no es está ' +
    'le les des est une et dans pour qui il elle nous vous pas sur du au di il che non per una sono della het een van en ' +
    'zijn niet voor och att som det inte är og ikke på av se em não uma os do da jest nie się na że w z ve bir bu için'
  ).split(' '),
)
/** English has about 40 %; the other languages that share some of these words stay below 15 %. */
const SHARE_MIN = 0.2
const WORDS_MIN = 8
const SAMPLE_WORDS = 2_000

/** Too little text to tell counts as English, unless its letters say otherwise. */
export function looksEnglish(text: string): boolean {
  const words = wordsOf(text.slice(0, SAMPLE_WORDS * 8))
  if (words.length === 0) return true
  const latin = words.filter((word) => /^[\p{Script=Latin}\p{N}'.,-]+$/u.test(word)).length
  if (latin < words.length * 0.7) return false
  const common = words.filter((word) => COMMON.has(word)).length
  const foreign = words.filter((word) => FOREIGN.has(word) && !COMMON.has(word)).length
  if (words.length < WORDS_MIN) return foreign <= common + 1
  return common > foreign && common >= words.length * (words.length < 30 ? SHARE_MIN / 2 : SHARE_MIN)
}
