// earshot licences: whose work is inside, and under which terms. The text is part of the binary.

import type { Command } from 'commander'
import text from '../../THIRD_PARTY_LICENCES.md' with { type: 'text' }
import { print } from './output.ts'

export function registerLicences(program: Command): void {
  program
    .command('licences')
    .description('print the licences of everything that Earshot contains')
    .action(() => print(text.trimEnd()))
}
