// What a file is, by its content: ffprobe's word for the container, and the brand that the first bytes name where one
// word covers several types. Only the containers of the contract have a type; everything else is refused.

import { open } from 'node:fs/promises'
import type { MediaProbe } from '../engines/ffmpeg.ts'

/** For people: what can be uploaded. */
export const ACCEPTED_FORMATS = 'mp4, webm, mov, avi, wmv, flv, mkv, m4a, mp3, mpeg, mpga or wav'

/** By ffmpeg's name of the container. */
const BY_CONTAINER: Readonly<Record<string, string>> = {
  avi: 'video/x-msvideo',
  flv: 'video/x-flv',
  mp3: 'audio/mpeg',
  mpeg: 'video/mpeg',
  wav: 'audio/wav',
}

/** Brands of the ISO base media format that are pictures, not recordings (https://mp4ra.org/registered-types/brands). */
const PICTURE_BRANDS = new Set([
  'heic',
  'heix',
  'hevc',
  'heim',
  'heis',
  'mif1',
  'msf1',
  'avif',
  'avis',
  'crx ',
])

/** Longer than any EBML header or file-type box that tells the brand. */
const HEAD_BYTES = 256

/** Media type of the contents; undefined for what is not accepted. */
export async function mediaTypeOf(path: string, probe: MediaProbe): Promise<string | undefined> {
  if (!probe.hasAudio && !probe.hasVideo) return undefined
  const [first = ''] = probe.formatNames
  if (first === 'mov') return isoType(await readHead(path), probe.hasVideo)
  if (first === 'matroska') return matroskaType(await readHead(path), probe.hasVideo)
  if (first === 'asf') return probe.hasVideo ? 'video/x-ms-wmv' : undefined
  return BY_CONTAINER[first]
}

/** As Latin-1 text, in which brands can be read. */
async function readHead(path: string): Promise<string> {
  const handle = await open(path, 'r')
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0)
    return buffer.toString('latin1', 0, bytesRead)
  } finally {
    await handle.close()
  }
}

/** ISO/IEC 14496-12: the file-type box comes first, its major brand at byte 8. QuickTime files may have none. */
function isoType(head: string, hasVideo: boolean): string | undefined {
  const brand = head.slice(4, 8) === 'ftyp' ? head.slice(8, 12) : 'qt  '
  if (PICTURE_BRANDS.has(brand)) return undefined
  if (brand === 'qt  ') return 'video/quicktime'
  if (!hasVideo || brand.startsWith('M4A')) return 'audio/mp4'
  return brand.startsWith('3g') ? 'video/3gpp' : 'video/mp4'
}

/** RFC 9559: WebM is Matroska whose header names the document type `webm`. */
function matroskaType(head: string, hasVideo: boolean): string {
  const isWebm = /\x42\x82.{1,8}?webm/s.test(head)
  if (isWebm) return hasVideo ? 'video/webm' : 'audio/webm'
  return hasVideo ? 'video/x-matroska' : 'audio/x-matroska'
}

/** For a file that came without a name. */
export function extensionOf(mediaType: string): string {
  const known: Readonly<Record<string, string>> = {
    'audio/mp4': 'm4a',
    'audio/mpeg': 'mp3',
    'audio/wav': 'wav',
    'audio/webm': 'webm',
    'audio/x-matroska': 'mka',
    'video/3gpp': '3gp',
    'video/mp4': 'mp4',
    'video/mpeg': 'mpeg',
    'video/quicktime': 'mov',
    'video/webm': 'webm',
    'video/x-flv': 'flv',
    'video/x-matroska': 'mkv',
    'video/x-ms-wmv': 'wmv',
    'video/x-msvideo': 'avi',
  }
  return known[mediaType] ?? 'bin'
}
