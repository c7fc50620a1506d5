// The queue of uploads, over the resumable protocol: a connection that breaks goes on where it broke, and a file that is
// dropped again after the page was closed goes on, too. It lives as long as the page, whatever is being looked at.

import { type ReadonlySignal, type Signal, signal } from '@preact/signals'
import { DetailedError, Upload } from 'tus-js-client'
import { CONSOLE_HEADER, messageOf } from '../api.ts'

const ENDPOINT = '/v1/upload/resumable'
const AT_ONCE = 2
/** Few requests for large files, and still small enough for proxies that hold back bodies. */
const CHUNK_BYTES = 64 * 1024 * 1024
/** Some minutes of a network that is gone; after that a person decides. */
const RETRY_MS = [500, 1_000, 3_000, 5_000, 10_000, 20_000, 30_000, 60_000, 60_000]

export type UploadState = 'waiting' | 'sending' | 'interrupted' | 'paused' | 'failed' | 'done'

export interface UploadItem {
  readonly id: number
  readonly name: string
  readonly sizeBytes: number
  readonly sentBytes: ReadonlySignal<number>
  readonly state: ReadonlySignal<UploadState>
  readonly message: ReadonlySignal<string>
  readonly pause: () => void
  /** Goes on, also after a failure. */
  readonly resume: () => void
  /** Takes it out of the list, and what has arrived off the server. */
  readonly discard: () => Promise<void>
}

/** Newest last. */
export const uploads = signal<readonly UploadItem[]>([])
/** Grows whenever a file has arrived as a whole: the library looks again. */
export const arrivedCount = signal(0)

const MOVING: ReadonlySet<UploadState> = new Set(['waiting', 'sending', 'interrupted'])

interface Entry extends UploadItem {
  readonly state: Signal<UploadState>
  readonly start: () => void
}

let nextId = 1
let entries: readonly Entry[] = []

export function addUploads(files: Iterable<File>, namespaceIds: readonly string[]): void {
  const added = [...files].map((file) => createEntry(file, namespaceIds))
  show([...entries, ...added])
  startNext()
}

/** Whether this page is about to bring the rest of a file of that name. */
export function isUploading(name: string): boolean {
  return uploads.value.some((item) => item.name === name && MOVING.has(item.state.value))
}

/** Takes what has arrived out of the list. */
export function clearDone(): void {
  show(entries.filter(({ state }) => state.value !== 'done'))
}

function show(shown: readonly Entry[]): void {
  entries = shown
  uploads.value = shown
}

function startNext(): void {
  const isBusy = ({ state }: Entry): boolean => state.value === 'sending' || state.value === 'interrupted'
  for (const entry of entries.filter(({ state }) => state.value === 'waiting')) {
    if (entries.filter(isBusy).length >= AT_ONCE) return
    entry.start()
  }
}

function createEntry(file: File, namespaceIds: readonly string[]): Entry {
  const state = signal<UploadState>('waiting')
  const sentBytes = signal(0)
  const message = signal('')
  const become = (next: UploadState, said = ''): void => {
    state.value = next
    message.value = said
    startNext()
  }
  const upload = new Upload(file, {
    endpoint: ENDPOINT,
    chunkSize: CHUNK_BYTES,
    retryDelays: RETRY_MS,
    removeFingerprintOnSuccess: true,
    headers: { ...CONSOLE_HEADER },
    metadata: { filename: file.name, namespace_ids: namespaceIds.join(',') },
    onProgress(sent) {
      sentBytes.value = sent
      if (state.value === 'interrupted') become('sending')
    },
    onShouldRetry(error) {
      const status = statusOf(error)
      const isPassing = status === undefined || status >= 500 || [409, 423, 429].includes(status)
      if (isPassing) become('interrupted', 'The connection broke. Trying again …')
      return isPassing
    },
    onError: (error) => become('failed', reasonOf(error)),
    onSuccess() {
      sentBytes.value = file.size
      become('done')
      arrivedCount.value++
    },
  })
  const start = (): void => {
    state.value = 'sending'
    void resumeOrStart(upload)
  }
  const entry: Entry = {
    id: nextId++,
    name: file.name,
    sizeBytes: file.size,
    sentBytes,
    state,
    message,
    start,
    pause() {
      void upload.abort()
      become('paused')
    },
    resume() {
      become('waiting')
    },
    async discard() {
      if (state.value === 'done') become('done')
      // What cannot be taken back now, the server clears away when it expires.
      else await upload.abort(upload.url !== null).catch(() => undefined)
      show(entries.filter((other) => other !== entry))
      startNext()
    },
  }
  return entry
}

/** The same file may have come halfway before. */
async function resumeOrStart(upload: Upload): Promise<void> {
  if (upload.url === null) {
    const [former] = await upload.findPreviousUploads()
    if (former) upload.resumeFromPreviousUpload(former)
  }
  upload.start()
}

function statusOf(error: Error): number | undefined {
  return error instanceof DetailedError ? error.originalResponse?.getStatus() : undefined
}

/** The API's own words where it has answered. */
function reasonOf(error: Error): string {
  const body = error instanceof DetailedError ? error.originalResponse?.getBody() : undefined
  try {
    const parsed: unknown = JSON.parse(body ?? '')
    if (typeof parsed === 'object' && parsed !== null && 'message' in parsed) return String(parsed.message)
  } catch {
    // Not an answer of the API.
  }
  return statusOf(error) === undefined ? 'The server cannot be reached.' : messageOf(error)
}

/** Leaving the page would interrupt something. */
addEventListener('beforeunload', (event) => {
  if (entries.some(({ state }) => MOVING.has(state.value))) event.preventDefault()
})
