// The operator's log-ins in a real Chromium: on their site, and nowhere else.

import { afterAll, expect, setDefaultTimeout, test } from 'bun:test'
import { findChromium } from '../../src/engines/browser.ts'
import { createTestApp } from '../support/app.ts'
import { temporaryFolder } from '../support/make-media.ts'
import { startPlatformSite } from '../support/platform-site.ts'
import { portalCookieFile, portalUrl } from '../support/platforms/portal.ts'

setDefaultTimeout(120_000)

const hasBrowser = findChromium({ chromiumPath: undefined }) !== undefined
if (!hasBrowser) console.log('No Chromium on this machine: its log-ins are not tested.')

const site = await startPlatformSite()
const folder = temporaryFolder()
const path = folder.file('cookies.txt')
await Bun.write(path, portalCookieFile())
const started = await createTestApp({
  ...site.env,
  EARSHOT_SITE_COOKIES: `videos.example.com=${path}`,
})
afterAll(async () => {
  await started.close()
  await site.stop()
  folder.remove()
})

test.skipIf(!hasBrowser)('a wall opens, and a redirect takes no log-in along', async () => {
  const titles = await started.app.engines.browser.session(
    async (session) => {
      const page = await session.newPage()
      await page.goto(portalUrl('members/1'))
      const inside = await page.title()
      await page.goto(portalUrl('away/1'))
      return [inside, await page.title(), new URL(page.url()).hostname]
    },
    { signal: AbortSignal.timeout(100_000) },
  )
  expect(titles).toEqual(['For members', 'A partner', 'partner.example.net'])
  const sent = site.cookies.join('\n')
  expect(sent).toContain('videos.example.com session=open-sesame-hushhush; csrf=c-hushhush')
  expect(sent).not.toContain('partner.example.net')
  expect(sent).not.toMatch(/[ap]-hushhush/)
  expect(await Bun.file(path).text()).toBe(portalCookieFile())
})
