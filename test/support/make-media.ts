// Media files made by ffmpeg when a test needs them. Small, and different in exactly the ways that tests ask about.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Formats the product promises to read, with the codecs that are usual in them. */
export const FORMATS: Readonly<Record<string, readonly string[]>> = {
  wav: [],
  mp3: ['-c:a', 'libmp3lame'],
  m4a: ['-c:a', 'aac'],
  mp4: ['-c:a', 'aac', '-c:v', 'mpeg4'],
  webm: ['-c:a', 'libopus', '-c:v', 'libvpx', '-deadline', 'realtime'],
  mkv: ['-c:a', 'flac', '-c:v', 'mpeg4'],
  mov: ['-c:a', 'pcm_s16le', '-c:v', 'mpeg4'],
  avi: ['-c:a', 'libmp3lame', '-c:v', 'mpeg4'],
  flv: ['-c:a', 'libmp3lame', '-ar', '44100', '-c:v', 'flv'],
  wmv: ['-c:a', 'wmav2', '-c:v', 'wmv2'],
}

const AUDIO_ONLY = new Set(['wav', 'mp3', 'm4a'])

/** A folder that `remove()` takes away with everything in it. */
export function temporaryFolder(): { path: string; file(name: string): string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), 'earshot-test-'))
  return {
    path,
    file: (name) => join(path, name),
    remove: () => rmSync(path, { recursive: true, force: true }),
  }
}

/** Runs ffmpeg with `args` (output file last); throws with its messages when it fails. */
export function ffmpeg(...args: readonly string[]): void {
  const result = Bun.spawnSync(['ffmpeg', '-nostdin', '-v', 'error', '-y', ...args], { stderr: 'pipe' })
  if (result.exitCode !== 0) throw new Error(`ffmpeg ${args.join(' ')}: ${result.stderr.toString()}`)
}

/** A 440 Hz tone of `seconds`, with a test picture where the format carries video. `path` decides the format. */
export function makeTone(path: string, seconds: number, extra: readonly string[] = []): string {
  const format = path.slice(path.lastIndexOf('.') + 1)
  const picture = ['-f', 'lavfi', '-i', `testsrc=duration=${seconds}:size=160x120:rate=5`]
  const tone = ['-f', 'lavfi', '-i', `sine=frequency=440:duration=${seconds}`]
  ffmpeg(...tone, ...(AUDIO_ONLY.has(format) ? [] : picture), ...(FORMATS[format] ?? []), ...extra, path)
  return path
}
