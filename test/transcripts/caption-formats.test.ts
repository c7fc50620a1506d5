// Caption files of every format → clean segments.

import { describe, expect, test } from 'bun:test'
import { segmentsOfCues } from '../../src/transcripts/caption-cues.ts'
import { type CaptionFormat, parseCaptions } from '../../src/transcripts/caption-formats.ts'
import { chooseTrack, primaryLanguage } from '../../src/transcripts/caption-tracks.ts'
import { AUTOMATIC_LINES, youtubeCaptions } from '../support/platforms/youtube-captions.ts'

const read = (format: CaptionFormat, text: string, automatic = false) =>
  segmentsOfCues(parseCaptions(format, text), { automatic })

async function fromYoutube(query: Record<string, string>): Promise<string> {
  return youtubeCaptions(new URLSearchParams(query)).text()
}

describe('WebVTT', () => {
  test('headers, notes, styles, names, settings, tags and entities are not text', () => {
    const text = `\uFEFFWEBVTT - a title\r\nKind: captions\r\n\r\nNOTE not this\r\n\r\nSTYLE\r\n::cue { color: red }\r\n\r\nintro
00:01.000 --> 00:02.500 align:start position:0%
<v Fred>Hi, I am <i>Fred</i> &amp; this\u200B
is&nbsp;<c.yellow>bold</c> &#x2764; 1 &lt; 2

01:00:00.000 --> 01:00:01.000
later`
    expect(read('vtt', text)).toEqual([
      { text: 'Hi, I am Fred & this is bold ❤ 1 < 2', start: 1, end: 2.5 },
      { text: 'later', start: 3_600, end: 3_601 },
    ])
  })

  test('rolling automatic captions say every line once', async () => {
    const segments = read('vtt', await fromYoutube({ kind: 'asr', lang: 'en', fmt: 'vtt' }), true)
    expect(segments).toEqual([
      { text: AUTOMATIC_LINES[0] ?? '', start: 0, end: 1.99 },
      { text: AUTOMATIC_LINES[1] ?? '', start: 2, end: 3.99 },
      { text: AUTOMATIC_LINES[2] ?? '', start: 4, end: 5.99 },
    ])
  })

  test('what people say twice in written captions is kept, what a rolling display repeats is not', () => {
    const cue = (from: number, ...lines: string[]): string =>
      `00:0${from}.000 --> 00:0${from + 1}.000\n${lines.join('\n')}\n`
    const twice = ['WEBVTT\n', cue(1, 'No.'), cue(2, 'No.'), cue(4, 'one'), cue(5, 'one', 'two')]
    expect(read('vtt', twice.join('\n')).map(({ text }) => text)).toEqual(['No.', 'No.', 'one', 'two'])
  })
})

test('SubRip: numbers, commas, tags and overlapping times', () => {
  const text = `1
00:00:01,000 --> 00:00:04,000
<font color="#fff">{\\an8}One</font>

2
00:00:03,500 --> 00:00:05,000
- Two
- three

3
00:00:03,500 --> 00:00:06,000
four

4
00:00:07,000 --> 00:00:06,000
backwards
`
  expect(read('srt', text)).toEqual([
    { text: 'One', start: 1, end: 3.5 },
    { text: '- Two - three four', start: 3.5, end: 6 },
  ])
})

test('json3: words join, appended line feeds vanish, and times do not overlap', async () => {
  expect(read('json3', await fromYoutube({ kind: 'asr', lang: 'en', fmt: 'json3' }), true)).toEqual([
    { text: AUTOMATIC_LINES[0] ?? '', start: 0, end: 2 },
    { text: AUTOMATIC_LINES[1] ?? '', start: 2, end: 4 },
    { text: AUTOMATIC_LINES[2] ?? '', start: 4, end: 7.9 },
  ])
  const events = [{ tStartMs: 5, dDurationMs: 10, segs: [{ utf8: 'a <b>&amp; c' }] }, { wpWinPosId: 1 }, 'x']
  expect(read('json3', JSON.stringify({ events }))).toEqual([{ text: 'a & c', start: 0.005, end: 0.015 }])
})

test('TTML: clocks, offsets, frames, ticks, breaks and prefixes', () => {
  const text = `<?xml version="1.0"?><tt:tt xmlns:tt="http://www.w3.org/ns/ttml" ttp:frameRate="25" ttp:tickRate="10000000">
<tt:body><tt:div>
<tt:p begin="00:00:01.500" end="00:00:02:10"><tt:span tts:color="white">A &amp;
 B</tt:span><tt:br/>C</tt:p>
<p begin="3s" dur="500ms">D</p><p begin="40000000t" end="4.5s">E</p><p xml:id="x">no time</p><p begin="5s" end="6s"/>
</tt:div></tt:body></tt:tt>`
  expect(read('ttml', text)).toEqual([
    { text: 'A & B C', start: 1.5, end: 2.4 },
    { text: 'D', start: 3, end: 3.5 },
    { text: 'E', start: 4, end: 4.5 },
  ])
})

test('what is no caption file has no segments', () => {
  for (const format of ['vtt', 'srt', 'json3', 'ttml'] as const) {
    for (const text of [
      '',
      '<html><p>Sign in</p></html>',
      '{"events":7}',
      'WEBVTT',
      '\0\0',
      '-->'.repeat(999),
    ]) {
      expect(read(format, text)).toEqual([])
    }
  }
})

test('many thousands of cues are read in time that grows with their number, not its square', () => {
  const cue = (index: number): string => {
    const at = (ms: number): string => new Date(ms).toISOString().slice(11, 23)
    return `${at(index * 100)} --> ${at(index * 100 + 200)}\nline ${index} &amp; <i>more</i>\n`
  }
  const text = `WEBVTT\n\n${Array.from({ length: 20_000 }, (_, index) => cue(index)).join('\n')}`
  const startedAt = performance.now()
  expect(read('vtt', text).length).toBe(20_000)
  expect(performance.now() - startedAt).toBeLessThan(20_000)
})

describe('the track to take', () => {
  const vtt = (name: string): readonly object[] => [{ ext: 'vtt', url: `https://a.example/${name}` }]
  const both = {
    subtitles: { 'de-DE': vtt('de'), en: vtt('en'), live_chat: vtt('chat') },
    automatic_captions: { 'fr-orig': vtt('fr'), fr: vtt('fr'), ja: vtt('ja') },
    language: 'de',
  }

  test('is in the language asked for, written before heard, and never a translation', () => {
    expect(chooseTrack(both, 'en')).toMatchObject({ kind: 'manual', language: 'en' })
    expect(chooseTrack(both, 'de')).toMatchObject({ kind: 'manual', language: 'de-DE' })
    expect(chooseTrack(both, 'fr')).toMatchObject({ kind: 'automatic', language: 'fr' })
    expect(chooseTrack(both, 'ja')).toBeUndefined()
  })

  test('is in the spoken language when none is asked for, else English, else the first', () => {
    expect(chooseTrack(both, undefined)?.language).toBe('de-DE')
    expect(chooseTrack({ ...both, language: undefined }, undefined)?.language).toBe('fr')
    expect(chooseTrack({ subtitles: both.subtitles }, undefined)?.language).toBe('en')
    expect(chooseTrack({ subtitles: { pl: vtt('pl') } }, undefined)?.language).toBe('pl')
  })

  test('is in a format that can be read', () => {
    const formats = ['srv1', 'ttml', 'vtt', 'json3'].map((ext) => ({ ext, url: 'x' }))
    expect(chooseTrack({ subtitles: { en: formats } }, undefined)?.format).toBe('json3')
    expect(chooseTrack({ subtitles: { en: formats.slice(0, 1) } }, undefined)).toBeUndefined()
    expect(chooseTrack({ subtitles: 'x', automatic_captions: { en: 'y' } }, undefined)).toBeUndefined()
  })

  test('knows languages by two letters', () => {
    const names = ['eng-US', 'ger', 'pt-BR', 'zh_Hans', 'yue', '', 'EN']
    expect(names.map(primaryLanguage)).toEqual(['en', 'de', 'pt', 'zh', 'yue', '', 'en'])
  })
})
