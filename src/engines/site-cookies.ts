// The operator's log-ins: cookie files, each for one site. Only cookies of that site and its subdomains are taken from a
// file, they are sent over https alone, and the file itself is only ever read: programs get a copy for one run.

import { existsSync, readdirSync, rmSync } from 'node:fs'
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../config.ts'
import { newId } from '../lib/id.ts'
import { belongsTo, type SiteCookies } from '../lib/site-list.ts'

export interface SiteCookie {
  /** With a dot in front when it is meant for subdomains too. */
  readonly domain: string
  readonly path: string
  /** Epoch seconds; 0: until the session ends. */
  readonly expiresAtS: number
  readonly httpOnly: boolean
  readonly name: string
  readonly value: string
}

export interface CookieCopy {
  readonly path: string
  remove(): void
}

const FILE_BYTES_MAX = 4 * 1_024 ** 2
const COPY_NAME = /^cookies-(\d+)-/

/** Throws when the file can't be read or is no cookie file at all. */
export async function readSiteCookies({ site, path }: SiteCookies): Promise<SiteCookie[]> {
  if ((await stat(path)).size > FILE_BYTES_MAX) throw new Error(`${path} is larger than a cookie file`)
  const lines = (await readFile(path, 'utf8')).split(/\r?\n/)
  const fields = lines
    .filter((line) => line.trim() !== '' && (!line.startsWith('#') || line.startsWith('#HttpOnly_')))
    .map((line) => line.split('\t'))
  if (fields.length > 0 && fields.every(({ length }) => length !== 7)) {
    throw new Error(`${path} is no cookie file in Netscape's format (seven columns, separated by tabs)`)
  }
  return fields.filter(({ length }) => length === 7).flatMap((line) => cookieOf(line, site) ?? [])
}

function cookieOf(line: readonly string[], site: string): SiteCookie | undefined {
  const [owner = '', subdomains, path = '/', , expires, name = '', value = ''] = line
  const httpOnly = owner.startsWith('#HttpOnly_')
  const host = owner.replace('#HttpOnly_', '').replace(/^\./, '').toLowerCase()
  // A cookie of the domain above would reach hosts that the operator did not name.
  if (!belongsTo(host, site) || name === '') return undefined
  const expiresAtS = Math.max(0, Math.floor(Number(expires) || 0))
  return { domain: subdomains === 'TRUE' ? `.${host}` : host, path, expiresAtS, httpOnly, name, value }
}

/** All that can be read; `doctor` tells what cannot. */
export async function allSiteCookies(config: Pick<Config, 'siteCookies'>): Promise<SiteCookie[]> {
  const found = await Promise.all(config.siteCookies.map((entry) => readSiteCookies(entry).catch(() => [])))
  return found.flat()
}

/** A file for one run of a program that may write to it, in a folder of ours. undefined: there are no log-ins. */
export async function copyCookies(
  config: Pick<Config, 'siteCookies'>,
  folder: string,
): Promise<CookieCopy | undefined> {
  if (existsSync(folder)) removeLeftovers(folder)
  if (config.siteCookies.length === 0) return undefined
  const cookies = await allSiteCookies(config)
  const lines = cookies.map(({ domain, path, expiresAtS, httpOnly, name, value }) => {
    const owner = `${httpOnly ? '#HttpOnly_' : ''}${domain}`
    return [owner, domain.startsWith('.') ? 'TRUE' : 'FALSE', path, 'TRUE', expiresAtS, name, value].join(
      '\t',
    )
  })
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await chmod(folder, 0o700)
  const path = join(folder, `cookies-${process.pid}-${newId()}.txt`)
  await writeFile(path, `# Netscape HTTP Cookie File\n${lines.join('\n')}\n`, { mode: 0o600 })
  return { path, remove: () => rmSync(path, { force: true }) }
}

/** Copies whose process was killed before it could remove them. */
function removeLeftovers(folder: string): void {
  for (const name of readdirSync(folder)) {
    const pid = COPY_NAME.exec(name)?.[1]
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(folder, name), { force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // Somebody else's process lives too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
