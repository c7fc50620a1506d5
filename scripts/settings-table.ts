// Writes the table of settings into the README, from the same data that the configuration is read with.
// `bun scripts/settings-table.ts` after a change; a test fails while the two differ.

import { join } from 'node:path'
import { flagOf, SETTINGS, type SettingName } from '../src/config.ts'

const README = join(import.meta.dir, '..', 'README.md')
const START = '<!-- settings -->'
const END = '<!-- /settings -->'

function settingsTable(): string {
  const rows = (Object.keys(SETTINGS) as SettingName[]).map((name) => {
    const { env, fallback, help } = SETTINGS[name]
    return `| \`${env}\` | \`${flagOf(name)}\` | ${fallback === '' ? '' : `\`${fallback}\``} | ${help.replaceAll('|', '\\|')} |`
  })
  return ['| Variable | Flag | Default | |', '|---|---|---|---|', ...rows].join('\n')
}

/** The README's text with the table of today. */
export function withSettings(readme: string): string {
  const [before, rest] = readme.split(START)
  const after = rest?.split(END)[1]
  if (before === undefined || after === undefined) throw new Error(`README.md has no ${START} … ${END}`)
  return `${before}${START}\n${settingsTable()}\n${END}${after}`
}

if (import.meta.main) {
  await Bun.write(README, withSettings(await Bun.file(README).text()))
}
