// The README must not go stale where it can be made from the code.

import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { withSettings } from '../scripts/settings-table.ts'

test('the table of settings is the one the configuration is read with', async () => {
  const readme = await Bun.file(join(import.meta.dir, '..', 'README.md')).text()
  expect(readme, 'run: bun scripts/settings-table.ts').toBe(withSettings(readme))
})
