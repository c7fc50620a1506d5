// Cookie files: what is taken from them, and what becomes of the copies.

import { afterAll, expect, test } from 'bun:test'
import { readdirSync, statSync } from 'node:fs'
import { copyCookies, readSiteCookies } from '../../src/engines/site-cookies.ts'
import { temporaryFolder } from '../support/make-media.ts'

const folder = temporaryFolder()
afterAll(() => folder.remove())

const line = (...fields: readonly (string | number)[]): string => fields.join('\t')

async function file(...lines: readonly string[]): Promise<string> {
  const path = folder.file('cookies.txt')
  await Bun.write(path, `# Netscape HTTP Cookie File\r\n\r\n${lines.join('\r\n')}\r\n`)
  return path
}

const namesOf = async (site: string, path: string): Promise<string[]> =>
  (await readSiteCookies({ site, path })).map(({ name }) => name)

test('only cookies of the site and its subdomains are taken', async () => {
  const path = await file(
    line('.video.example', 'TRUE', '/', 'TRUE', 4_000_000_000, 'site', '1'),
    line('#HttpOnly_www.video.example', 'FALSE', '/', 'FALSE', 0, 'below', '2'),
    line('.VIDEO.example', 'TRUE', '/', 'FALSE', 0, 'capitals', '3'),
    line('.example', 'TRUE', '/', 'TRUE', 0, 'above', '4'),
    line('.notvideo.example', 'TRUE', '/', 'TRUE', 0, 'similar', '5'),
    line('.video.example.evil.test', 'TRUE', '/', 'TRUE', 0, 'longer', '6'),
    '# a remark',
  )
  expect(await namesOf('video.example', path)).toEqual(['site', 'below', 'capitals'])
  expect(await namesOf('www.video.example', path)).toEqual(['below'])
  expect((await readSiteCookies({ site: 'video.example', path }))[1]).toEqual({
    domain: 'www.video.example',
    path: '/',
    expiresAtS: 0,
    httpOnly: true,
    name: 'below',
    value: '2',
  })
})

test('what is no cookie file is refused, lines that are none are passed over', async () => {
  const json = await file('[{"name": "site"}]')
  await expect(readSiteCookies({ site: 'video.example', path: json })).rejects.toThrow('no cookie file')
  const mixed = await file(line('.video.example', 'TRUE', '/', 'TRUE', 'soon', 'site', '1'), 'half\ta line')
  expect(await namesOf('video.example', mixed)).toEqual(['site'])
  expect(await namesOf('video.example', await file())).toEqual([])
})

test('a copy is for us alone, marks everything as secure, and does not outlive a crash', async () => {
  const path = await file(line('.video.example', 'TRUE', '/', 'FALSE', 0, 'site', 'v'))
  const copies = folder.file('copies')
  const config = { siteCookies: [{ site: 'video.example', path }] }
  const copy = await copyCookies(config, copies)
  if (!copy) throw new Error('no copy')
  expect(await Bun.file(copy.path).text()).toContain(
    line('.video.example', 'TRUE', '/', 'TRUE', 0, 'site', 'v'),
  )
  expect([statSync(copies).mode & 0o777, statSync(copy.path).mode & 0o777]).toEqual([0o700, 0o600])
  const ended = Bun.spawn(['true'])
  await ended.exited
  await Bun.write(`${copies}/cookies-${ended.pid}-left.txt`, 'x')
  expect(await copyCookies({ siteCookies: [] }, copies)).toBeUndefined()
  expect(readdirSync(copies).length).toBe(1)
  copy.remove()
  expect(readdirSync(copies)).toEqual([])
})

test('without files there is nothing to give, and one that is gone takes nothing else with it', async () => {
  const path = await file(line('.video.example', 'TRUE', '/', 'TRUE', 0, 'site', 'v'))
  const siteCookies = [
    { site: 'gone.example', path: folder.file('nowhere.txt') },
    { site: 'video.example', path },
  ]
  const copy = await copyCookies({ siteCookies }, folder.file('more'))
  expect(await Bun.file(copy?.path ?? '').text()).toContain('.video.example')
  copy?.remove()
})
