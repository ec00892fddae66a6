import { readFileSync, statSync } from 'node:fs'
import type { Option } from 'commander'
import { InvalidArgumentError, PartnerCredit } from '../../sdk/src/index.ts'
import { valueOption } from './arguments.ts'
import { NoAnswer } from './no-answer.ts'
import type { Surroundings } from './surroundings.ts'

/** The client's options, and the names of the settings that give them. */
const settings = {
  baseUrl: 'BASE_URL',
  apiKey: 'API_KEY',
  signingSecret: 'SIGNING_SECRET',
} as const

export type ConnectionOptions = { url?: string; settings?: string }

/** Options of every command that calls the service. */
export function connectionOptions(args: string[]): Option[] {
  return [
    valueOption(args, '--url <url>', 'where the service is, without /v1 (BASE_URL)'),
    settingsOption(args),
  ]
}

export function settingsOption(args: string[]): Option {
  return valueOption(args, '--settings <file>', 'a file with the settings, NAME=value a line')
}

type Given = Pick<Surroundings, 'environment' | 'stderr'>
type Settings<T> = { baseUrl: T; apiKey: T; signingSecret: T }

/** From the environment; what a settings file has counts before it, and --url before both. */
export function givenSettings(
  { environment, stderr }: Given,
  options: ConnectionOptions,
): Settings<string | undefined> {
  const file = options.settings === undefined ? {} : readSettings(options.settings, stderr)
  const given = { ...environment, ...file }
  return {
    baseUrl: options.url ?? given[settings.baseUrl],
    apiKey: given[settings.apiKey],
    signingSecret: given[settings.signingSecret],
  }
}

/** The same, where all of them are there and none can be wrong at first sight. */
export function checkedSettings(line: Given, options: ConnectionOptions): Settings<string> {
  const given = givenSettings(line, options)
  clientOf(given)
  return given as Settings<string>
}

export function connect(line: Given, options: ConnectionOptions): PartnerCredit {
  return clientOf(givenSettings(line, options))
}

function clientOf(given: Settings<string | undefined>): PartnerCredit {
  try {
    return new PartnerCredit(given)
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error
    const faults = error.errors.map(({ pointer, detail }) => `  ${nameOf(pointer)} ${detail}`)
    throw new NoAnswer(
      [
        'the settings are not complete:',
        ...faults,
        'Set them in the environment, or in a file for --settings.',
      ].join('\n'),
    )
  }
}

function nameOf(pointer: string | undefined): string {
  const option = (pointer ?? '').slice(1)
  return Object.hasOwn(settings, option) ? settings[option as keyof typeof settings] : option
}

/** NAME=value a line, as in a .env file; # begins a comment line; quotes around a value are taken off. */
function readSettings(path: string, stderr: Surroundings['stderr']): Record<string, string> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
      stderr.write(`partner-credit-cli: others on this machine can read ${path}: chmod 600 keeps it yours\n`)
    }
  } catch (error) {
    throw new NoAnswer(`the settings cannot be read: ${(error as Error).message}`)
  }
  const known: string[] = Object.values(settings)
  const read: Record<string, string> = {}
  for (const [index, line] of text
    .replace(/^\ufeff/, '')
    .split(/\r?\n/)
    .entries()) {
    if (/^\s*(#|$)/.test(line)) continue
    const [, name, quoted] = /^\s*(?:export\s+)?(\w+)\s*=\s*(.*?)\s*$/.exec(line) ?? []
    if (name === undefined || !known.includes(name)) {
      // The line is not repeated: it may be a secret that was pasted alone.
      throw new NoAnswer(`${path}, line ${index + 1}: must be one of ${known.join(', ')}, =, and the value`)
    }
    read[name] = quoted!.replace(/^(["'])(.*)\1$/, '$2')
  }
  return read
}
