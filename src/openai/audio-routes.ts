// POST /audio/transcriptions and /audio/translations: OpenAI's speech API. A recording comes as a form, streams to disk,
// and is a synchronous task like that of /transcribe: charged by its length, discarded when its client leaves.

import { renameSync } from 'node:fs'
import type { Caller, Guard } from '../accounts/guard.ts'
import type { App } from '../app.ts'
import { requireTranscriptionCredit } from '../billing/balance.ts'
import { transaction } from '../db/database.ts'
import { dismiss, inspect, type MoreFormats } from '../files/receive.ts'
import { receiveForm } from '../files/receive-form.ts'
import { type Call, type Route, route } from '../http/route.ts'
import { refuseOverload } from '../jobs/overload.ts'
import { completedTask, createTask, type Task } from '../jobs/tasks.ts'
import { newId } from '../lib/id.ts'
import type { SpeechEngine } from '../engines/speech-engine.ts'
import { holdTranscription } from '../transcripts/charges.ts'
import { AudioAnswer, audioAnswer, TEXT_TYPES } from './answer.ts'
import { audioJob, audioPath, type AudioTaskRequest, ITEM, readAudioResult } from './audio.job.ts'
import { invalid, openAiFailure } from './errors.ts'
import {
  type AudioRequest,
  LIST_FIELDS,
  readAudioRequest,
  TranscriptionForm,
  TranslationForm,
} from './form.ts'
import { getEngine, getTranslator } from './models.ts'
import { streamedAnswer } from './stream.ts'

const TRANSCRIPTIONS = '/audio/transcriptions'
const TRANSLATIONS = '/audio/translations'

/** What OpenAI's clients send beside the containers of uploads. */
const MORE_FORMATS: MoreFormats = {
  types: { flac: 'audio/flac', ogg: 'audio/ogg' },
  names: 'flac, m4a, mp3, mp4, mpeg, mpga, ogg, wav, webm, mov, mkv, avi, flv or wmv',
}

const common = {
  method: 'POST',
  tag: 'OpenAI',
  takesStream: true,
  charges: true,
  responses: { 200: AudioAnswer },
  errors: [
    'request_body_required',
    'missing_parameter',
    'invalid_parameter',
    'model_not_found',
    'input_too_large',
    'limit_exceeded',
    'storage_quota_exceeded',
    'audio_extraction_failed',
    'transcription_failed',
    'system_overload',
  ],
  failure: openAiFailure,
  slow: true,
} as const

export function audioRoutes(app: App, auth: Guard): readonly Route[] {
  return [
    route(
      {
        ...common,
        path: TRANSCRIPTIONS,
        summary: 'Transcribe a recording, as OpenAI’s API does',
        description:
          'For clients of OpenAI’s speech API: set their base URL to this server’s /v1. Errors have OpenAI’s form. With ' +
          '`stream` the text comes as server-sent events, and Idempotency-Key cannot be used.',
        auth: auth('transcribe'),
        form: TranscriptionForm,
        texts: [...TEXT_TYPES, 'text/event-stream'],
      },
      (call) => respond(app, call, false),
    ),
    route(
      {
        ...common,
        path: TRANSLATIONS,
        summary: 'Translate a recording into English, as OpenAI’s API does',
        description: 'Only where a Whisper model that can translate is installed; else 400.',
        auth: auth('transcribe'),
        form: TranslationForm,
        texts: TEXT_TYPES,
      },
      (call) => respond(app, call, true),
    ),
  ]
}

type AudioCall = Call<typeof TRANSCRIPTIONS | typeof TRANSLATIONS, Caller, unknown, unknown>

async function respond(
  app: App,
  call: AudioCall,
  translate: boolean,
): Promise<ReturnType<typeof audioAnswer>> {
  const accountId = call.caller.account.id
  requireTranscriptionCredit(app, accountId)
  refuseOverload(app)
  const uploadId = newId()
  try {
    const { request, signal, caller } = call
    const form = { uploadId, account: caller.account, signal, lists: LIST_FIELDS }
    const { written, fields } = await receiveForm(app, request, form)
    const asked = readAudioRequest(fields)
    if (asked.stream) refuseStream(request, translate)
    const engine = await chooseEngine(app, asked, translate)
    const { durationS } = await inspect(app, written, signal, MORE_FORMATS)
    signal.throwIfAborted()
    const former = asked.stream ? undefined : call.findFormer(JSON.stringify([written.sha256, asked]))
    if (former) return former
    const taken = taskRequest(asked, { engine, translate, durationS })
    const task = begin(app, { accountId, request: taken, path: written.path })
    call.trail.taskId = task.id
    if (asked.stream) return streamedAnswer(app, task, signal)
    const { result } = await completedTask(app, task.id, signal)
    return audioAnswer(readAudioResult(result), { ...asked, translate })
  } finally {
    dismiss(app, uploadId)
  }
}

function refuseStream({ headers }: Request, translate: boolean): void {
  if (translate) throw invalid('stream', 'Translations cannot be streamed.')
  if (headers.has('idempotency-key')) {
    throw invalid(
      'stream',
      'A stream cannot be given again: leave out "stream" or the header Idempotency-Key.',
    )
  }
}

/** Refuses what the model cannot do before anything is charged. */
async function chooseEngine(app: App, asked: AudioRequest, translate: boolean): Promise<SpeechEngine> {
  const engine = translate ? await getTranslator(app, asked.model) : await getEngine(app, asked.model)
  const { modelId, multilingual, wordTimes } = engine
  if (asked.language !== undefined && asked.language !== 'en' && !multilingual) {
    throw invalid(
      'language',
      `The model ${modelId} knows English only. The operator can install a multilingual Whisper model.`,
    )
  }
  if (asked.words && wordTimes !== true) {
    throw invalid(
      'timestamp_granularities',
      `The model ${modelId} gives no word times; Whisper models do. Ask for segments, or have one installed.`,
    )
  }
  return engine
}

function taskRequest(
  { language, prompt, temperature, stream }: AudioRequest,
  {
    engine,
    translate,
    durationS,
  }: { readonly engine: SpeechEngine; readonly translate: boolean; readonly durationS: number | null },
): AudioTaskRequest {
  return {
    modelId: engine.modelId,
    translate,
    durationS,
    stream,
    ...(language === undefined ? {} : { language }),
    ...(prompt === undefined ? {} : { prompt }),
    ...(temperature === undefined ? {} : { temperature }),
  }
}

interface Begin {
  readonly accountId: string
  readonly request: AudioTaskRequest
  /** Of the recording, which becomes the task's. */
  readonly path: string
}

/** Throws `limit_exceeded` and `system_overload`, and then nothing has changed. */
function begin(app: App, { accountId, request, path }: Begin): Task {
  const task = transaction(app.db, () => {
    const created = createTask(app, {
      accountId,
      jobType: 'audio_transcription',
      isSync: true,
      request,
      stages: [audioJob],
    })
    if (request.durationS !== null) holdTranscription(app, created, ITEM, request.durationS)
    return created
  })
  // In the same turn of the event loop: no job can have looked for it. After the commit: what a crash leaves is known
  // either as an upload that was arriving or as the task's.
  renameSync(path, audioPath(app, task.id))
  return task
}
