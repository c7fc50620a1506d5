// The real ffprobe and ffmpeg: every promised format, and files made to misbehave.

import { afterAll, describe, expect, test } from 'bun:test'
import { createServer } from 'node:net'
import { createFfmpeg, PCM_BYTES_PER_SECOND } from '../../src/engines/ffmpeg.ts'
import { Problem } from '../../src/lib/problem.ts'
import { ffmpeg as makeWith, FORMATS, makeTone, temporaryFolder } from '../support/make-media.ts'

const folder = temporaryFolder()
afterAll(() => folder.remove())

const ffmpeg = createFfmpeg({ ffmpegPath: undefined, ffprobePath: undefined })
const signal = new AbortController().signal

async function problemOf(work: Promise<unknown>): Promise<Problem> {
  const error = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(Problem)
  return error as Problem
}

async function decodedSeconds(path: string, maxS = 100): Promise<number> {
  const { stream, done } = ffmpeg.decodePcm(path, { signal, maxS })
  let size = 0
  for await (const chunk of stream) size += chunk.byteLength
  expect(await done).toBe(size)
  return size / PCM_BYTES_PER_SECOND
}

function childrenRunning(name: string): number {
  const list = Bun.spawnSync(['ps', '--ppid', String(process.pid), '-o', 'args=']).stdout.toString()
  return list.split('\n').filter((line) => line.includes(name)).length
}

const hls = (target: string): string => `#EXTM3U\n#EXTINF:1,\n${target}\n#EXT-X-ENDLIST\n`

describe('every promised format', () => {
  for (const format of Object.keys(FORMATS)) {
    test(`${format} is probed and decoded`, async () => {
      const path = makeTone(folder.file(`tone.${format}`), 2)
      const probe = await ffmpeg.probe(path, { signal })
      expect(probe.hasAudio).toBe(true)
      expect(probe.hasVideo).toBe(!['wav', 'mp3', 'm4a'].includes(format))
      expect(probe.durationS).toBeCloseTo(2, 0)
      expect(await decodedSeconds(path)).toBeCloseTo(2, 0)
    })
  }
})

test('the samples are 16 kHz mono: a 440 Hz tone crosses zero 880 times a second', async () => {
  const { stream } = ffmpeg.decodePcm(folder.file('tone.wav'), { signal, maxS: 1 })
  const bytes = await new Response(stream).arrayBuffer()
  const samples = new Int16Array(bytes)
  const crossings = samples.filter(
    (sample, at) => at > 0 && sample >= 0 !== (samples[at - 1] ?? 0) >= 0,
  ).length
  expect(samples.length).toBe(16_000)
  expect(Math.abs(crossings - 880)).toBeLessThan(5)
})

test('tags become title, artist and the recording date', async () => {
  const tags = ['-metadata', 'title=A talk', '-metadata', 'artist=Someone']
  const path = makeTone(folder.file('tags.mp4'), 1, [
    ...tags,
    '-metadata',
    'creation_time=2024-05-06T07:08:09Z',
  ])
  const probe = await ffmpeg.probe(path, { signal })
  expect(probe).toMatchObject({
    title: 'A talk',
    artist: 'Someone',
    createdAt: Date.UTC(2024, 4, 6, 7, 8, 9),
  })
})

test('audio that starts after the picture keeps its place in time', async () => {
  const path = folder.file('late.mp4')
  const picture = ['-f', 'lavfi', '-i', 'testsrc=duration=3:size=160x120:rate=5']
  makeWith(...picture, '-itsoffset', '1.5', '-f', 'lavfi', '-i', 'sine=frequency=440:duration=1', path)
  const { stream } = ffmpeg.decodePcm(path, { signal, maxS: 10 })
  const samples = new Int16Array(await new Response(stream).arrayBuffer())
  const first = samples.findIndex((sample) => Math.abs(sample) > 500)
  expect(first / 16_000).toBeCloseTo(1.5, 1)
})

test('decoding stops at the cap, however long the media is', async () => {
  expect(await decodedSeconds(makeTone(folder.file('long.mp3'), 30), 3)).toBeCloseTo(3, 1)
})

test('a video without an audio track is refused by name', async () => {
  const path = folder.file('mute.mp4')
  makeWith('-f', 'lavfi', '-i', 'testsrc=duration=1:size=160x120:rate=5', path)
  expect(await ffmpeg.probe(path, { signal })).toMatchObject({ hasAudio: false, hasVideo: true })
  const problem = await problemOf(decodedSeconds(path))
  expect(problem.code).toBe('audio_extraction_failed')
  expect(problem.message).toContain('no audio track')
})

for (const [name, content] of [
  ['empty', ''],
  ['text', 'This is no media at all.\n'.repeat(100)],
  ['zeros', '\0'.repeat(4_096)],
] as const) {
  test(`a file of ${name} is refused`, async () => {
    const path = folder.file(`${name}.mp4`)
    await Bun.write(path, content)
    expect((await problemOf(ffmpeg.probe(path, { signal }))).code).toBe('audio_extraction_failed')
    expect((await problemOf(decodedSeconds(path))).code).toBe('audio_extraction_failed')
  })
}

test('a playlist dressed up as mp4 reads neither local files nor the network', async () => {
  const secret = makeTone(folder.file('secret.wav'), 1)
  let connections = 0
  const server = createServer((socket) => {
    connections++
    socket.destroy()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/a.ts`
  const playlists = [hls(secret), hls(`file:${secret}`), hls(url), `ffconcat version 1.0\nfile ${secret}\n`]
  for (const [index, playlist] of playlists.entries()) {
    const path = folder.file(`playlist-${index}.mp4`)
    await Bun.write(path, playlist)
    expect((await problemOf(decodedSeconds(path))).code).toBe('audio_extraction_failed')
  }
  expect(connections).toBe(0)
  server.close()
})

test('a name that looks like an option or a protocol is only a file name', async () => {
  const path = makeTone(folder.file('tone.wav'), 1)
  for (const name of ['-version.wav', 'http:example.wav', '%d.wav']) {
    await Bun.write(folder.file(name), Bun.file(path))
    expect(await decodedSeconds(folder.file(name))).toBeCloseTo(1, 1)
  }
})

test('abort ends ffmpeg and gives the reason', async () => {
  const controller = new AbortController()
  const { stream, done } = ffmpeg.decodePcm(makeTone(folder.file('abort.wav'), 60), {
    signal: controller.signal,
    maxS: 60,
  })
  const reader = stream.getReader()
  await reader.read()
  controller.abort(new Error('not wanted any more'))
  const drain = (async () => {
    while (!(await reader.read()).done);
  })()
  const outcomes = await Promise.allSettled([drain, done])
  expect(outcomes.map((outcome) => outcome.status === 'rejected' && String(outcome.reason))).toEqual([
    'Error: not wanted any more',
    'Error: not wanted any more',
  ])
  expect(childrenRunning('ffmpeg')).toBe(0)
})

test('a reader that stops early leaves no ffmpeg behind', async () => {
  const { stream } = ffmpeg.decodePcm(folder.file('abort.wav'), { signal, maxS: 60 })
  for await (const chunk of stream) {
    expect(chunk.byteLength).toBeGreaterThan(0)
    break
  }
  expect(childrenRunning('ffmpeg')).toBe(0)
})

test('a missing program is named together with its setting', async () => {
  const path = process.env['PATH']
  process.env['PATH'] = folder.path
  try {
    const problem = await problemOf(Promise.try(() => ffmpeg.probe('x', { signal })))
    expect(problem.message).toContain('EARSHOT_FFPROBE')
  } finally {
    process.env['PATH'] = path
  }
})

test('a program that is no ffmpeg or no ffprobe is named together with its setting', async () => {
  expect(await ffmpeg.version({ signal })).toStartWith('ffmpeg version')
  const failing = createFfmpeg({ ffmpegPath: '/bin/false', ffprobePath: undefined })
  expect((await problemOf(failing.version({ signal }))).message).toContain('EARSHOT_FFMPEG')
  const silent = createFfmpeg({ ffmpegPath: undefined, ffprobePath: '/bin/true' })
  expect((await problemOf(silent.version({ signal }))).message).toContain('EARSHOT_FFPROBE')
})
