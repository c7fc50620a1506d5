// Uploads one large recording to a server of its own: how fast, against `cp` and `sha256sum` of the same bytes, and how
// much memory the server takes meanwhile. `bun scripts/bench/upload.ts [MiB]`; 300 unless given, 2048 for the full size.
// Prints one line of JSON. Exit code 1 when the server grew by 80 MB or more.

import {
  closeSync,
  createReadStream,
  ftruncateSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer } from '../../test/support/server.ts'
import { tusUpload } from '../../test/support/tus.ts'

const MIB = 1_048_576
const GROWTH_MAX_BYTES = 80_000_000
const SAMPLE_MS = 20

const sizeBytes = Number(process.argv[2] ?? 300) * MIB
const folder = mkdtempSync(join(tmpdir(), 'earshot-bench-'))
const path = join(folder, 'large.wav')

/** Silence with a header that says how much: a recording of any size at the cost of writing it. */
function makeWav(): void {
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(Math.min(sizeBytes - 8, 0xffff_ffff), 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(2, 22)
  header.writeUInt32LE(48_000, 24)
  header.writeUInt32LE(192_000, 28)
  header.writeUInt16LE(4, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(Math.min(sizeBytes - 44, 0xffff_ffff), 40)
  const handle = openSync(path, 'w')
  writeSync(handle, header)
  ftruncateSync(handle, sizeBytes)
  closeSync(handle)
}

function residentBytes(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1_024
}

/** Runs `work` and says how long it took, and how far the process grew at most. */
async function measure(
  pid: number,
  work: () => Promise<void>,
): Promise<{ seconds: number; growthBytes: number }> {
  const before = residentBytes(pid)
  let peak = before
  const timer = setInterval(() => (peak = Math.max(peak, residentBytes(pid))), SAMPLE_MS)
  const startedAt = performance.now()
  try {
    await work()
    return { seconds: (performance.now() - startedAt) / 1_000, growthBytes: peak - before }
  } finally {
    clearInterval(timer)
  }
}

async function run(...command: string[]): Promise<void> {
  if ((await Bun.spawn(command, { stdout: 'ignore' }).exited) !== 0) throw new Error(`${command[0]} failed`)
}

/** In pieces, by curl: a client in this process would share its memory and its event loop with the measuring. */
async function upload(url: string, key: string): Promise<string> {
  const command = [
    'curl',
    '-sS',
    '-H',
    `x-api-key: ${key}`,
    '-H',
    'expect:',
    '-F',
    `file=@${path}`,
    `${url}/v1/upload/file`,
  ]
  const answer = await new Response(Bun.spawn(command, { stdout: 'pipe' }).stdout).json()
  const { file_id: fileId } = answer as { file_id?: string }
  if (fileId === undefined) throw new Error(JSON.stringify(answer))
  return fileId
}

const server = await startServer({ env: { EARSHOT_MAX_UPLOAD_BYTES: String(sizeBytes) } })
try {
  makeWav()
  const key = await server.createKey()
  const request = (method: string, target: string): Promise<unknown> =>
    server.request(method, target, { key })
  // The first upload loads code and the database; what it leaves is idle.
  const warm = await upload(server.url, key)
  await request('DELETE', `/v1/file/${warm}/delete`)
  await run(
    'sh',
    '-c',
    `cp ${path} ${path}.copy && sync ${path}.copy && sha256sum ${path}.copy && rm ${path}.copy`,
  )
  const plain = await measure(server.pid, () =>
    run('sh', '-c', `cp ${path} ${path}.copy && sync ${path}.copy && sha256sum ${path}.copy`),
  )
  let fileId = ''
  const multipart = await measure(server.pid, async () => void (fileId = await upload(server.url, key)))
  await request('DELETE', `/v1/file/${fileId}/delete`)
  const pieces = await measure(server.pid, async () => {
    const outcome = await tusUpload({ server, key }, createReadStream(path), {
      metadata: { filename: 'large.wav' },
      chunkBytes: 16 * MIB,
      sizeBytes: statSync(path).size,
    })
    if (outcome.error) throw outcome.error
    fileId = outcome.fileId
  })
  await request('DELETE', `/v1/file/${fileId}/delete`)
  const rate = ({ seconds }: { seconds: number }): number => Math.round(sizeBytes / MIB / seconds)
  const growthMb = (bytes: number): number => Math.round(bytes / 1e5) / 10
  const report = {
    sizeMib: sizeBytes / MIB,
    cpAndSha256MibPerS: rate(plain),
    multipartMibPerS: rate(multipart),
    multipartGrowthMb: growthMb(multipart.growthBytes),
    resumableMibPerS: rate(pieces),
    resumableGrowthMb: growthMb(pieces.growthBytes),
    idleMb: growthMb(residentBytes(server.pid)),
  }
  console.log(JSON.stringify(report))
  process.exitCode = Math.max(multipart.growthBytes, pieces.growthBytes) < GROWTH_MAX_BYTES ? 0 : 1
} finally {
  await server.close()
  rmSync(folder, { recursive: true, force: true })
}
