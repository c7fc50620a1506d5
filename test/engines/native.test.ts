// Native files as seen from the source; how the binary extracts them is tested in test/binary.

import { Database } from 'bun:sqlite'
import { describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { createNative, loadOnnxRuntime } from '../../src/engines/native.ts'
import { temporaryFolder } from '../support/temp.ts'

describe('native files', () => {
  test('are found by name when the source runs, without being copied', () => {
    using folder = temporaryFolder()
    const native = createNative({ cacheDir: `${folder.path}/cache` })
    for (const name of ['silero-vad.onnx', 'moonshine-encoder.onnx', 'whisper-worker'] as const) {
      const path = native.path(name)
      expect(path.endsWith(`/${name}`)).toBe(true)
      expect(existsSync(path)).toBe(true)
      expect(native.path(name)).toBe(path)
    }
    expect(existsSync(`${folder.path}/cache`)).toBe(false)
  })

  test('load: ONNX Runtime runs a model, SQLite takes the vector functions', async () => {
    using folder = temporaryFolder()
    const native = createNative({ cacheDir: folder.path })
    const ort = await loadOnnxRuntime(native)
    const session = await ort.InferenceSession.create(native.path('silero-vad.onnx'))
    expect(session.inputNames).toEqual(['frames', 'state'])
    using db = new Database(':memory:')
    db.loadExtension(native.path('vec0.so'))
    expect(db.query("select vec_distance_l2('[0,0]', '[3,4]') as distance").get()).toEqual({ distance: 5 })
  })
})
