// What tests of the whole way share: a server that trusts a local site with recordings, and a key.

import { addRecording, type SpeechSite, startSpeechSite } from './speech-site.ts'
import { finishedTask, type Reply, type ServerOptions, startServer, type TestServer } from './server.ts'
import { type Sample, wordsOf } from './samples.ts'
import { type Score, scoreOf } from './score.ts'

export const JFK =
  'And so my fellow Americans ask not what your country can do for you ask what you can do for your country'

/** A segment of an answer. */
export interface AnswerSegment {
  readonly text: string
  readonly start: number
  readonly end: number
}

export interface EndToEnd {
  readonly site: SpeechSite
  server: TestServer
  readonly key: string
  /** Posts to /v1/transcribe/async and expects its 202. Returns the task's id. */
  submit(url: string, body?: Readonly<Record<string, unknown>>): Promise<string>
  /** The poll's `data` of the ended task. */
  ended(taskId: string, deadlineMs?: number): Promise<Reply['body']>
  /** submit, wait, and expect success: the transcript's segments. */
  transcribe(url: string): Promise<AnswerSegment[]>
  close(): Promise<void>
}

export async function startEndToEnd(
  env: Readonly<Record<string, string>> = {},
  options: Omit<ServerOptions, 'env'> = {},
): Promise<EndToEnd> {
  const site = startSpeechSite()
  const server = await startServer({ ...options, env: { EARSHOT_TRUSTED_HOSTS: site.host, ...env } })
  const key = await server.createKey()
  const self: EndToEnd = {
    site,
    server,
    key,
    async submit(url, body = {}) {
      const reply = await self.server.request('POST', '/v1/transcribe/async', {
        key,
        body: { video_url: url, ...body },
      })
      if (reply.status !== 202) throw new Error(`not accepted: ${JSON.stringify(reply.body)}`)
      return String(reply.body.data.task_id)
    },
    async ended(taskId, deadlineMs) {
      const reply = await finishedTask(self.server, key, `/v1/transcribe/${taskId}`, deadlineMs)
      if (reply.status !== 200) throw new Error(`the poll failed: ${JSON.stringify(reply.body)}`)
      return reply.body.data
    },
    async transcribe(url) {
      const task = await self.ended(await self.submit(url))
      if (task.task_status !== 'completed') throw new Error(`${url}: ${JSON.stringify(task.error)}`)
      return task.result.transcript as AnswerSegment[]
    },
    async close() {
      await self.server.close()
      await site.stop()
    },
  }
  return self
}

/** Transcribes the recordings over HTTP, a few at a time, and scores what came back. */
export async function scoreOverHttp(run: EndToEnd, samples: readonly Sample[]): Promise<Score[]> {
  for (const { name, wavPath } of samples) addRecording(run.site, wavPath, `${name}.wav`)
  return Promise.all(
    samples.map(async (sample) => {
      const segments = await run.transcribe(run.site.url(`/${sample.name}.wav`))
      return scoreOf(
        sample,
        segments.map(({ text, start, end }) => ({ text, startMs: start * 1_000, endMs: end * 1_000 })),
      )
    }),
  )
}

export function wordsHeard(segments: readonly AnswerSegment[]): string[] {
  return wordsOf(segments.map(({ text }) => text).join(' '))
}

/** What is wrong with the times of a transcript: every fault in words; none when it is as promised. */
export function faultsOf(segments: readonly AnswerSegment[], durationS: number): string[] {
  const faults: string[] = []
  let before = 0
  for (const [index, { text, start, end }] of segments.entries()) {
    if (text.trim() === '') faults.push(`segment ${index} is empty`)
    if (start < before) faults.push(`segment ${index} starts at ${start}, before ${before}`)
    if (end <= start) faults.push(`segment ${index} ends at ${end}, not after ${start}`)
    if (end > durationS) faults.push(`segment ${index} ends at ${end}, after the media's end`)
    for (const time of [start, end]) {
      if (Math.round(time * 1_000) / 1_000 !== time) faults.push(`${time} has more than 3 decimals`)
    }
    before = end
  }
  return faults
}
