// How far a long command is: a bar on a terminal, a plain line now and then otherwise. Always on stderr.

import { type Options, SingleBar } from 'cli-progress'
import { SECOND } from '../lib/time.ts'
import { note } from './output.ts'

const LINE_EVERY_MS = 10 * SECOND

export interface Progress {
  /** `total` undefined: unknown. `title` may change from step to step; so may the total. */
  update(title: string, done: number, total: number | undefined): void
  /** Leaves the last state on the screen. Safe to call without any update. */
  stop(): void
}

/** `format` turns amounts into text, for example bytes into MB. */
export function createProgress(format: (amount: number) => string): Progress {
  return process.stderr.isTTY ? barProgress(format) : lineProgress(format)
}

function barProgress(format: (amount: number) => string): Progress {
  const options: Options = {
    format: '{title} {bar} {percentage}% {done}, {eta_formatted} left',
    stream: process.stderr,
    barCompleteChar: '█',
    barIncompleteChar: '░',
    barsize: 30,
    fps: 8,
    etaBuffer: 50,
    hideCursor: true,
    clearOnComplete: false,
  }
  let bar: SingleBar | undefined
  let current: string | undefined
  return {
    update(title, done, total) {
      if (title !== current) {
        bar?.stop()
        bar = new SingleBar(options)
        bar.start(total ?? done, done, { title, done: format(done) })
        current = title
      }
      bar?.setTotal(Math.max(total ?? done, 1))
      bar?.update(done, { title, done: format(done) })
    },
    stop() {
      bar?.stop()
      current = undefined
    },
  }
}

function lineProgress(format: (amount: number) => string): Progress {
  let current: string | undefined
  let spokeAt = 0
  return {
    update(title, done, total) {
      const finished = done === total
      if (title === current && !finished && performance.now() - spokeAt < LINE_EVERY_MS) return
      current = title
      spokeAt = performance.now()
      const share = total === undefined ? '' : ` of ${format(total)} (${Math.floor((done / total) * 100)}%)`
      note(`${title}: ${format(done)}${share}`)
    },
    stop() {
      current = undefined
    },
  }
}
