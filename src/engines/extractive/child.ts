// The process of the built-in engine: reading ten minutes of speech takes a few hundred milliseconds that no other request
// should wait for. It remembers the transcripts it read last, so a crash loses nothing but time.

import { serveChild } from '../child-program.ts'
import { type ReadText, readText, type SplitText, splitText } from './document.ts'
import { runTask, type Task, textsOf } from './tasks.ts'
import { decodeTask } from './wire.ts'

/** Transcripts whose reading is kept: one analysis asks several things about the same one. */
const REMEMBERED_MAX = 4

/** Serves until stdin ends. */
export async function serveExtractive(): Promise<void> {
  const remembered = new Map<string, Memory>()

  function recall(task: Task): Memory {
    const key = String(Bun.hash(JSON.stringify(task.transcript)))
    const memory = remembered.get(key) ?? memoryOf(task)
    remembered.delete(key)
    remembered.set(key, memory)
    const oldest = remembered.keys().next()
    if (remembered.size > REMEMBERED_MAX && oldest.done !== true) remembered.delete(oldest.value)
    return memory
  }

  await serveChild({
    async texts({ payload }) {
      const { task } = decodeTask(payload)
      const memory = recall(task)
      // While the encoder works elsewhere, this process reads.
      setTimeout(() => memory.read())
      return { payload: Buffer.from(JSON.stringify(textsOf(task, memory.split)), 'utf8') }
    },
    async run({ payload }) {
      const { task, vectors } = decodeTask(payload)
      const result = runTask(task, recall(task).read(), vectors)
      return { payload: Buffer.from(JSON.stringify(result), 'utf8') }
    },
  })
}

interface Memory {
  readonly split: SplitText
  read(): ReadText
}

function memoryOf(task: Task): Memory {
  const split = splitText(task.transcript)
  let text: ReadText | undefined
  return { split, read: () => (text ??= readText(split)) }
}
