// How to start this product again as a child process: the compiled binary itself, or Bun with the source.

import { resolve } from 'node:path'

/** True in the compiled binary, where every module lives in a virtual folder. */
export function isCompiled(): boolean {
  return import.meta.path.startsWith('/$bunfs/')
}

/** `args` as on the command line, for example `['engine', 'onnx']`. */
export function ownCommand(args: readonly string[]): string[] {
  if (isCompiled()) return [process.execPath, ...args]
  return [process.execPath, resolve(import.meta.dir, '../main.ts'), ...args]
}
