// The compiled binary as a stranger has it: a copy in a folder of its own, this checkout out of its reach, a clean
// environment. Hiding takes a mount namespace; where the system allows none, tests run without and say so.

import { copyFileSync, existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { runProgram } from '../../src/lib/process.ts'
import { type TemporaryFolder, temporaryFolder } from './temp.ts'

export const REPOSITORY = resolve(import.meta.dir, '../..')
const BINARY = join(REPOSITORY, 'dist/earshot')

export interface Elsewhere extends Disposable {
  /** Where the copy of the binary lies and commands run. Empty but for it. */
  readonly folder: TemporaryFolder
  /** For startProgram: runs the copy with `args`, where `noexec` names a folder made unable to run programs. */
  command(args: readonly string[], noexec?: string): string[]
  /** Why the checkout is not hidden; undefined when it is. */
  readonly notHidden: string | undefined
}

const NAMESPACES = [
  ['unshare', '--mount'],
  ['unshare', '--map-root-user', '--mount'],
]
const HIDE = 'mount -t tmpfs none "$1" || exit 97; '
const FORBID = '[ -z "$2" ] || mount -t tmpfs -o noexec none "$2" || exit 98; '

/** Throws when there is no binary yet. */
export async function copyElsewhere(): Promise<Elsewhere> {
  if (!existsSync(BINARY)) throw new Error('There is no dist/earshot to test: run "npm run build" first')
  const folder = temporaryFolder()
  const binary = join(folder.path, 'earshot')
  copyFileSync(BINARY, binary)
  const { namespace, problem } = await findNamespace()
  return {
    folder,
    notHidden: problem,
    command(args, noexec = '') {
      if (!namespace) return [binary, ...args]
      const script = `${HIDE}${FORBID}shift 2; exec "$@"`
      return [...namespace, 'sh', '-c', script, 'sh', REPOSITORY, noexec, binary, ...args]
    },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  }
}

async function findNamespace(): Promise<{ namespace?: readonly string[]; problem?: string }> {
  let problem = ''
  for (const namespace of NAMESPACES) {
    const script = `${HIDE}ls -A "$1"`
    const result = await runProgram({ command: [...namespace, 'sh', '-c', script, 'sh', REPOSITORY] }).catch(
      (error: unknown) => ({ exitCode: null, stdout: '', stderr: String(error) }),
    )
    if (result.exitCode === 0 && result.stdout === '') return { namespace }
    problem = result.stderr.trim()
  }
  return { problem }
}
