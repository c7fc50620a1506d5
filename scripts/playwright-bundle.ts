// What Playwright needs inside one executable: the two JSON files that it reads beside itself are written into its code.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { BunPlugin } from 'bun'

const READS = /require\(import_path\d*\.default\.join\(packageRoot, "(package|browsers)\.json"\)\)/g
/** In each file that reads them. Another number means that its code has changed. */
const EXPECTED: Readonly<Record<string, number>> = { coreBundle: 2, package: 1 }

export const playwrightInBundle: BunPlugin = {
  name: 'playwright',
  setup(build) {
    build.onLoad({ filter: /playwright-core\/lib\/(?:coreBundle|package)\.js$/ }, ({ path }) => {
      const root = path.slice(0, path.lastIndexOf('/lib/'))
      let count = 0
      const contents = readFileSync(path, 'utf8').replaceAll(READS, (_, name: string) => {
        count++
        return readFileSync(join(root, `${name}.json`), 'utf8')
      })
      const file = /(\w+)\.js$/.exec(path)?.[1] ?? ''
      if (count !== EXPECTED[file]) throw new Error(`playwright-core's ${file}.js reads ${count} JSON files`)
      return { loader: 'js', contents }
    })
  },
}
