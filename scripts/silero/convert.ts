// Turns the detector of the npm package @ricky0123/vad-web (Silero VAD v6, MIT) into one that takes many frames at once:
// `convert.ts --out FOLDER`. The same package gives the same bytes.

import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readConstants } from '../onnx/reader.ts'
import { buildDetector } from './detector.ts'

export const SILERO_SOURCE = join(
  import.meta.dir,
  '../../node_modules/@ricky0123/vad-web/dist/silero_vad_v6.onnx',
)
/** The published graph has a branch for each sampling rate; this one is for 16 kHz. */
const BRANCH = 'If_0_then_branch__Inline_0__'

export function convert(): Uint8Array {
  const constants = readConstants(readFileSync(SILERO_SOURCE))
  return buildDetector((name, size) => constants(`${BRANCH}${name}`, size))
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { out: { type: 'string' } } })
  if (values.out === undefined) throw new Error('usage: convert.ts --out FOLDER')
  mkdirSync(values.out, { recursive: true })
  const path = join(values.out, 'silero-vad.onnx')
  writeFileSync(`${path}.tmp`, convert())
  renameSync(`${path}.tmp`, path)
}
