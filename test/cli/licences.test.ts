// The list of licences must name exactly what the binary contains. When it does not: bun scripts/licences.ts

import { describe, expect, test } from 'bun:test'
import { Command } from 'commander'
import { listComponents } from '../../scripts/licences.ts'
import { registerLicences } from '../../src/cli/licences.ts'
import document from '../../THIRD_PARTY_LICENCES.md' with { type: 'text' }

describe('the licences of third parties', () => {
  test('are listed for everything that is bundled, in its version', async () => {
    const listed = [...document.matchAll(/^\| (.+) \| (.+) \| (.+) \|$/gm)].slice(1)
    const components = await listComponents()
    expect(listed.map(([, name, version]) => `${name} ${version}`)).toEqual(
      components.map(({ name, version }) => `${name} ${version}`),
    )
    const ours = components.find(({ name }) => name === 'whisper.cpp and ggml')
    expect(ours?.text).toContain('The ggml authors')
    for (const { name, version, text } of components) {
      expect(document).toContain(`## ${name} ${version}\n`)
      expect(text.length).toBeGreaterThan(100)
    }
  })

  test('are a command', () => {
    const program = new Command()
    registerLicences(program)
    expect(program.commands.map((command) => command.name())).toEqual(['licences'])
  })
})
