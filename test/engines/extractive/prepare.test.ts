// The built-in engine gets ready ahead of its work.

import { expect, test } from 'bun:test'
import { createExtractive } from '../../../src/engines/extractive/extractive.ts'
import { silentLog } from '../../../src/lib/log.ts'
import { timed } from '../../support/analysis-score.ts'

const { signal } = new AbortController()
const transcript = { segments: timed(['Anna Lund moved to Lisbon in the spring.']) }

test('once: its process and the encoder start, and the first request finds both', async () => {
  let prepared = 0
  const prepareEmbed = async (): Promise<void> => void prepared++
  const extractive = createExtractive({ prepareEmbed, idleMs: 60_000, log: silentLog() })
  try {
    await extractive.prepare(signal)
    const { pid } = extractive
    expect(pid).toBeDefined()
    await extractive.prepare(signal)
    const { value } = await extractive.overview(transcript, signal)
    expect(value.places.map(({ name }) => name)).toEqual(['Lisbon'])
    expect(extractive.pid).toBe(pid)
    expect(prepared).toBe(1)
  } finally {
    await extractive.close()
  }
})

test('an encoder that does not start does not fail what gets ready, nor the request that works without it', async () => {
  const prepareEmbed = (): Promise<void> => Promise.reject(new Error('no encoder'))
  const extractive = createExtractive({ prepareEmbed, idleMs: 60_000, log: silentLog() })
  try {
    const { value } = await extractive.overview(transcript, signal)
    expect(value.people.map(({ name }) => name)).toEqual(['Anna Lund'])
  } finally {
    await extractive.close()
  }
})
