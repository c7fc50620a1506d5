// Which of the builds for x86-64 this machine's CPU can run.

import { readFileSync } from 'node:fs'

/** True when this CPU runs the AVX2 builds of Bun and of whisper.cpp. Only x86-64 has slower ones. */
export function hasFastVectors() {
  if (process.arch !== 'x64' || process.platform !== 'linux') return true
  const flags = /^flags\s*:(.*)$/m.exec(readFileSync('/proc/cpuinfo', 'utf8'))?.[1]?.split(' ') ?? []
  return ['avx2', 'fma', 'f16c', 'bmi2'].every((flag) => flags.includes(flag))
}

/** The variant of the whisper worker for this CPU. */
export function whisperVariant() {
  if (process.arch !== 'x64') return 'generic'
  return hasFastVectors() ? 'avx2' : 'baseline'
}
