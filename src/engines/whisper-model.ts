// What the head of a Whisper model in whisper.cpp's ggml format says about it, without loading it.

import { closeSync, openSync, readSync } from 'node:fs'
import { Problem } from '../lib/problem.ts'

/** 'ggml' read as a little-endian number. */
const MAGIC = 0x67_67_6d_6c
/** The vocabulary of the multilingual models is one token larger than that of the English ones, or more. */
const ENGLISH_VOCABULARY = 51_864
/** Magic, then the size of the vocabulary. */
const HEAD_BYTES = 2 * 4

export interface WhisperModelInfo {
  readonly multilingual: boolean
}

/** Throws Problem('transcription_failed') when the file is missing or no Whisper model. */
export function readWhisperModel(path: string): WhisperModelInfo {
  const head = Buffer.alloc(HEAD_BYTES)
  try {
    const file = openSync(path, 'r')
    try {
      readSync(file, head, 0, HEAD_BYTES, 0)
    } finally {
      closeSync(file)
    }
  } catch (cause) {
    throw new Problem('transcription_failed', `The Whisper model ${path} can't be read`, { cause })
  }
  if (head.readUInt32LE(0) !== MAGIC) {
    throw new Problem('transcription_failed', `${path} is not a Whisper model in whisper.cpp's ggml format`)
  }
  return { multilingual: head.readInt32LE(4) > ENGLISH_VOCABULARY }
}
