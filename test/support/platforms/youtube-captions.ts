// Caption files in the forms that YouTube gives them. The automatic WebVTT rolls: each cue repeats the line before, and
// cues of ten milliseconds hold it in between, with a time for every word.

import { findTopic } from './youtube-channels.ts'

const MANUAL: Readonly<Record<string, readonly string[]>> = {
  en: ['Hello &amp; welcome.', '<i>This</i> is a caption', 'It says "cheese" &#39;twice&#39;.'],
  de: ['Hallo und willkommen.', 'Das ist ein Untertitel', 'Er sagt "Käse" zweimal.'],
}

/** What the automatic captions say, line by line. */
export const AUTOMATIC_LINES = ['so the first thing to know', 'about cheese is that it is made', 'from milk']

const clock = (ms: number): string =>
  `00:00:${String(Math.floor(ms / 1_000)).padStart(2, '0')}.${String(ms % 1_000).padStart(3, '0')}`

function manualVtt(lines: readonly string[]): string {
  const cues = lines.map((line, index) => {
    return `${clock(index * 2_000)} --> ${clock(index * 2_000 + 1_800)} align:start position:0%\n${line}\n`
  })
  return `WEBVTT\nKind: captions\nLanguage: en\n\n${cues.join('\n')}`
}

/** Word by word: `first<00:00:00.500><c> second</c>`. */
function timedWords(line: string, startMs: number): string {
  const [first = '', ...rest] = line.split(' ')
  return first + rest.map((word, index) => `<${clock(startMs + 200 * (index + 1))}><c> ${word}</c>`).join('')
}

function automaticVtt(): string {
  let text = 'WEBVTT\nKind: captions\nLanguage: en\n\n'
  for (const [index, line] of AUTOMATIC_LINES.entries()) {
    const before = AUTOMATIC_LINES[index - 1] ?? ' '
    const [start, end] = [index * 2_000, index * 2_000 + 1_990]
    text += `${clock(start)} --> ${clock(end)} align:start position:0%\n${before}\n${timedWords(line, start)}\n\n`
    text += `${clock(end)} --> ${clock(end + 10)} align:start position:0%\n${line}\n \n\n`
  }
  return text
}

function json3(lines: readonly string[], automatic: boolean): object {
  const events = lines.flatMap((line, index) => {
    const segs = automatic
      ? line
          .split(' ')
          .map((word, place) => ({ utf8: place === 0 ? word : ` ${word}`, tOffsetMs: place * 200 }))
      : [{ utf8: line.replaceAll(/<[^>]+>/g, '') }]
    // Automatic events stay on the screen while the next one is spoken, and are told apart by a line feed.
    const event = { tStartMs: index * 2_000, dDurationMs: automatic ? 3_900 : 1_800, segs }
    return automatic
      ? [event, { tStartMs: index * 2_000 + 1_990, dDurationMs: 10, aAppend: 1, segs: [{ utf8: '\n' }] }]
      : [event]
  })
  return { wireMagic: 'pb3', events }
}

export function youtubeCaptions(query: URLSearchParams): Response {
  const automatic = query.get('kind') === 'asr'
  const topic = findTopic(query.get('v') ?? '')?.video.lines
  const lines = topic ?? (automatic ? AUTOMATIC_LINES : MANUAL[query.get('lang') ?? ''])
  if (!lines) return new Response('', { status: 404 })
  if (query.get('fmt') === 'json3') return Response.json(json3(lines, automatic))
  if (query.get('fmt') !== 'vtt') return new Response('', { status: 404 })
  return new Response(automatic ? automaticVtt() : manualVtt(lines), {
    headers: { 'content-type': 'text/vtt; charset=UTF-8' },
  })
}
