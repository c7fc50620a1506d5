// The tools, in the order in which clients list them. Each is one endpoint of the API with the same permissions, limits and
// prices; their results have the shapes of its answers.

import type { Route } from '../http/route.ts'
import { parseOrThrow, parser, type Schema, t } from '../lib/schema.ts'
import { problemOfRecord } from '../lib/problem.ts'
import { SECOND, sleep } from '../lib/time.ts'
import { VideoSearchBody } from '../search/video-request.ts'
import { TranscriptionResult } from '../transcripts/schemas.ts'
import { type Tool, tool, type ToolContext } from './tool.ts'

const POLL_MS = SECOND

const videoUrl = t.String({ description: 'URL of the video, of its page or of a media file', minLength: 1 })
const fileId = t.String({
  description: 'Id of an uploaded file, from list_files or search_files',
  minLength: 1,
})
const withTimes = t.Optional(
  t.Boolean({
    description: 'Segments with start and end in seconds instead of one plain text (default false)',
  }),
)
const question = t.String({ description: 'What to find out, in plain words', minLength: 1 })

/** `routes`: where the shapes of the answers come from. */
export function createTools(routes: readonly Route[]): readonly Tool[] {
  const dataOf = (endpoint: string): Schema => dataSchema(routes, endpoint)
  return [...videoTools(dataOf), ...fileTools(dataOf), usageTool(dataOf)]
}

/** The schema of `data` in the answer of an endpoint. */
type DataOf = (endpoint: string) => Schema

function videoTools(dataOf: DataOf): readonly Tool[] {
  return [
    transcribe(),
    tool({
      name: 'analyze_video',
      title: 'Analyze an online video',
      description:
        'Summary, people, places and key subjects of an online video, its transcript, and the answer to a question with ' +
        'the moment where it is said. For media of up to about ten minutes; transcribe_video takes longer ones.',
      input: t.Object({ video_url: videoUrl, question: t.Optional(question) }),
      output: dataOf('POST /analyze/video'),
      readOnly: false,
      run: (input, { post }) =>
        post('/analyze/video', { video_url: input.video_url, query: input.question, transcript_text: true }),
    }),
    tool({
      name: 'search_videos',
      title: 'Search videos',
      description:
        'Finds online videos and those of the library by what is said in them: the best moment of each, with its text.',
      input: t.Omit(VideoSearchBody, ['include_usage']),
      output: dataOf('POST /search/video'),
      readOnly: false,
      run: (input, { post }) => post('/search/video', input),
    }),
  ]
}

function fileTools(dataOf: DataOf): readonly Tool[] {
  return [
    tool({
      name: 'search_files',
      title: 'Search uploaded files',
      description:
        'Finds what is said in the files of the account, by meaning and by words, with moments and their text.',
      input: t.Object({
        query: question,
        namespace_ids: t.Optional(
          t.Array(t.String(), { description: 'Only files in these namespaces', maxItems: 100 }),
        ),
      }),
      output: dataOf('POST /search/file'),
      readOnly: true,
      run: (input, { post }) => post('/search/file', input),
    }),
    tool({
      name: 'ask_file',
      title: 'Ask a file',
      description:
        'Answers a question about one uploaded recording from its transcript, with the segments that say so, a summary, ' +
        'people, places and key subjects.',
      input: t.Object({ file_id: fileId, question }),
      output: dataOf('POST /analyze/file'),
      readOnly: true,
      run: (input, { post }) =>
        post('/analyze/file', { file_id: input.file_id, query: input.question, transcript_text: true }),
    }),
    tool({
      name: 'get_transcript',
      title: 'Get the transcript of a file',
      description: 'The whole transcript of an uploaded file, and what is known about the file.',
      input: t.Object({ file_id: fileId, with_times: withTimes }),
      output: dataOf('GET /file/{file_id}'),
      readOnly: true,
      run: (input, { get }) =>
        get(`/file/${encodeURIComponent(input.file_id)}`, { transcript_text: input.with_times !== true }),
    }),
    tool({
      name: 'list_files',
      title: 'List uploaded files',
      description:
        'The files of the account, newest first: ids, names, lengths and whether they have a transcript.',
      input: t.Object({
        limit: t.Optional(t.Integer({ minimum: 1, maximum: 100, description: 'Default 50' })),
        offset: t.Optional(t.Integer({ minimum: 0, description: 'How many to skip (default 0)' })),
        namespace_id: t.Optional(t.String({ description: 'Only files in this namespace', minLength: 1 })),
      }),
      output: dataOf('GET /files'),
      readOnly: true,
      run: (input, { get }) => get('/files', input),
    }),
  ]
}

function usageTool(dataOf: DataOf): Tool {
  return tool({
    name: 'get_usage',
    title: 'Get usage and credits',
    description: 'Credits that are left, what was used in this period, storage and channels.',
    input: t.Object({}),
    output: dataOf('GET /usage'),
    readOnly: true,
    run: (_input, { get }) => get('/usage'),
  })
}

function dataSchema(routes: readonly Route[], endpoint: string): Schema {
  const route = routes.find(({ method, path, base }) => base === '/v1' && `${method} ${path}` === endpoint)
  const answer = route?.responses[200] as { properties?: Readonly<Record<string, Schema>> } | undefined
  const data = answer?.properties?.['data']
  if (!data) throw new Error(`no answer of ${endpoint} to describe a tool by`)
  return data
}

const Submitted = parser(t.Object({ task_id: t.String() }))

const ProblemSchema = t.Object({
  error: t.Union([t.String(), t.Null()]),
  message: t.String(),
  http_status: t.Integer(),
})

const Polled = parser(
  t.Object({
    task_status: t.String(),
    progress: t.Number(),
    result: t.Unknown(),
    error: t.Union([ProblemSchema, t.Null()]),
  }),
)

function transcribe(): Tool {
  return tool({
    name: 'transcribe_video',
    title: 'Transcribe an online video',
    description:
      'What is said in an online video or audio of any length. May take a while for long ones; cancelling ends the work ' +
      'and costs nothing.',
    input: t.Object({
      video_url: videoUrl,
      with_times: withTimes,
      language: t.Optional(
        t.String({
          description: 'ISO 639-1 code of the spoken language; detected when absent',
          pattern: '^[a-z]{2}$',
        }),
      ),
    }),
    output: t.Object({ task_id: t.String(), result: TranscriptionResult }),
    readOnly: false,
    async run({ video_url, with_times, language }, context) {
      const body = { video_url, language, transcript_text: with_times !== true, webhook_url: '' }
      const submitted = await context.post('/transcribe/async', body)
      const { task_id } = parseOrThrow(Submitted, submitted, 'an accepted task')
      return { task_id, result: await finished(task_id, context) }
    },
  })
}

async function finished(taskId: string, context: ToolContext): Promise<unknown> {
  const { get, progress, discard, signal } = context
  try {
    for (;;) {
      const task = parseOrThrow(Polled, await get(`/transcribe/${taskId}`), 'a task')
      if (task.task_status === 'completed') return task.result
      if (task.error) throw problemOfRecord(task.error)
      progress(task.progress, `Task ${taskId} is in work.`)
      await sleep(POLL_MS, signal)
    }
  } catch (failure) {
    if (signal.aborted) discard(taskId)
    throw failure
  }
}
