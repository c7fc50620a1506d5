// Every setting of config.ts as a global flag, and the way from a command to its Config.

import { type Command, Option } from 'commander'
import { type Config, flagOf, readConfig, SETTINGS, type SettingName } from '../config.ts'

const NAMES = Object.keys(SETTINGS) as SettingName[]

/** A setting that is on or off is a flag without a value. */
function isSwitch(name: SettingName): boolean {
  const { fallback, read } = SETTINGS[name]
  return fallback === '0' && read(fallback) === false
}

function optionOf(name: SettingName): Option {
  const { env, fallback, help } = SETTINGS[name]
  const flag = isSwitch(name) ? flagOf(name) : `${flagOf(name)} <value>`
  const byDefault = fallback === '' || isSwitch(name) ? '' : `, default ${fallback}`
  return new Option(flag, `${help} (${env}${byDefault})`)
}

/** They are listed behind the commands, which people look for first. */
export function addSettings(program: Command): void {
  const options = NAMES.map((name) => optionOf(name))
  for (const option of options) program.addOption(option.hideHelp())
  const width = Math.max(...options.map(({ flags }) => flags.length))
  const lines = options.map(({ flags, description }) => `  ${flags.padEnd(width)}  ${description}`)
  program.addHelpText('after', `\nSettings, for every command:\n${lines.join('\n')}`)
}

/** Flags win over the environment. Throws ConfigError. */
export function configOf(command: Command): Config {
  const given: Readonly<Record<string, unknown>> = command.optsWithGlobals()
  const flags: Partial<Record<SettingName, string>> = {}
  for (const name of NAMES) {
    const value = given[optionOf(name).attributeName()]
    if (value === true) flags[name] = '1'
    else if (typeof value === 'string') flags[name] = value
  }
  return readConfig(process.env, flags)
}
