// Gathers the native files that the binary embeds, and the list of their hashes, in .cache/native.
// Plain Node: the set-up runs it before anything else works. Names are those of src/engines/native.ts.

import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * Native file → where an npm package has it, for one platform.
 * @param {string} platform
 * @param {string} arch
 */
function packaged(platform, arch) {
  const mac = platform === 'darwin'
  const onnx = mac ? 'libonnxruntime.1.dylib' : 'libonnxruntime.so.1'
  const moonshine = '@moonshine-ai/moonshine-js/dist/model/tiny/quantized'
  return {
    'libonnxruntime.so.1': `onnxruntime-node/bin/napi-v6/${platform}/${arch}/${onnx}`,
    'moonshine-encoder.onnx': `${moonshine}/encoder_model.onnx`,
    'moonshine-decoder.onnx': `${moonshine}/decoder_model_merged.onnx`,
    'vec0.so': `sqlite-vec-${platform}-${arch}/vec0.${mac ? 'dylib' : 'so'}`,
  }
}

/**
 * The libraries of node-llama-cpp for one platform, which belong into one folder: `llama/<platform>/<file>` → where.
 * Empty where its authors build none.
 * @param {string} root
 * @param {string} platform
 * @param {string} arch
 */
function llamaLibraries(root, platform, arch) {
  const name =
    platform === 'darwin' ? (arch === 'arm64' ? 'mac-arm64-metal' : 'mac-x64') : `${platform}-${arch}`
  const folder = join(root, 'node_modules/@node-llama-cpp', name, 'bins', name)
  if (!existsSync(folder)) return []
  return readdirSync(folder).map((file) => [`llama/${name}/${file}`, join(folder, file)])
}

/**
 * Fills `folder` with every native file for one platform. `built` maps further names (converted models, `whisper-worker`,
 * and in releases `whisper-worker-baseline`) to the files built for it.
 * @param {string} root
 * @param {{ folder: string, platform: string, arch: string, built: Record<string, string> }} options
 */
export function gatherNative(root, { folder, platform, arch, built }) {
  mkdirSync(folder, { recursive: true })
  /** @type {Record<string, string>} */
  const hashes = {}
  const sources = Object.entries(packaged(platform, arch)).map(([name, path]) => [
    name,
    join(root, 'node_modules', path),
  ])
  const llama = llamaLibraries(root, platform, arch)
  for (const [name, from] of [...sources, ...llama, ...Object.entries(built)]) {
    if (!existsSync(from))
      throw new Error(`${from} is missing: it should have become the native file ${name}`)
    const hash = createHash('sha256').update(readFileSync(from)).digest('hex')
    const to = join(folder, name)
    // A file in use by a running test must not change under it: a new one takes its place.
    if (!existsSync(to) || createHash('sha256').update(readFileSync(to)).digest('hex') !== hash) {
      mkdirSync(dirname(to), { recursive: true })
      copyFileSync(from, `${to}.tmp`)
      chmodSync(`${to}.tmp`, 0o755)
      renameSync(`${to}.tmp`, to)
    }
    hashes[name] = hash
  }
  const manifest = join(folder, 'native-manifest.json')
  writeFileSync(`${manifest}.tmp`, `${JSON.stringify(hashes, null, 2)}\n`)
  renameSync(`${manifest}.tmp`, manifest)
}
