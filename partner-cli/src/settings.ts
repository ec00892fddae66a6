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
const tenantSetting = 'TENANT_ID'

export type ConnectionOptions = { url?: string; settings?: string }
/** Of a command that is about one tenant. */
export type TenantOptions = ConnectionOptions & { tenant?: string }

export function tenantOption(args: string[], description: string): Option {
  return valueOption(args, '--tenant <tenant>', `${description} (${tenantSetting})`)
}

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

/** From the environment. A settings file overrides it, and --url overrides both. */
export function givenSettings(line: Given, options: ConnectionOptions): Settings<string | undefined> {
  return settingsOf(namedValues(line, options), options)
}

/** Each file is read once: a remark about it is made once, too. */
function namedValues({ environment, stderr }: Given, options: ConnectionOptions): NodeJS.ProcessEnv {
  const file = options.settings === undefined ? {} : readSettings(options.settings, stderr)
  return { ...environment, ...file }
}

function settingsOf(given: NodeJS.ProcessEnv, options: ConnectionOptions): Settings<string | undefined> {
  return {
    baseUrl: options.url ?? given[settings.baseUrl],
    apiKey: given[settings.apiKey],
    signingSecret: given[settings.signingSecret],
  }
}

/** The same, checked: all are set and have the right form. */
export function checkedSettings(line: Given, options: ConnectionOptions): Settings<string> {
  const given = givenSettings(line, options)
  clientOf(given)
  return given as Settings<string>
}

export function connect(line: Given, options: TenantOptions): { credit: PartnerCredit; tenantId: string } {
  const given = namedValues(line, options)
  const client = settingsOf(given, options)
  const tenantId = options.tenant ?? given[tenantSetting]
  if (!tenantId)
    throw incomplete([...faultsOf(client), `${tenantSetting} is missing: set it, or use --tenant`])
  return { credit: clientOf(client), tenantId }
}

function clientOf(given: Settings<string | undefined>): PartnerCredit {
  const faults = faultsOf(given)
  if (faults.length > 0) throw incomplete(faults)
  return new PartnerCredit(given)
}

function faultsOf(given: Settings<string | undefined>): string[] {
  try {
    new PartnerCredit(given)
    return []
  } catch (error) {
    if (!(error instanceof InvalidArgumentError)) throw error
    return error.errors.map(({ pointer, detail }) => `${nameOf(pointer)} ${detail}`)
  }
}

function incomplete(faults: string[]): NoAnswer {
  return new NoAnswer(
    [
      'the settings are not complete:',
      ...faults.map((fault) => `  ${fault}`),
      'Set them in the environment, or in a file for --settings.',
    ].join('\n'),
  )
}

function nameOf(pointer: string | undefined): string {
  const option = (pointer ?? '').slice(1)
  return Object.hasOwn(settings, option) ? settings[option as keyof typeof settings] : option
}

/** NAME=value a line, as in a .env file; # starts a comment line; quotes around a value are removed. */
function readSettings(path: string, stderr: Surroundings['stderr']): Record<string, string> {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
      stderr.write(`partner-credit-cli: others on this machine can read ${path}: run chmod 600 on it\n`)
    }
  } catch (error) {
    throw new NoAnswer(`the settings cannot be read: ${(error as Error).message}`)
  }
  const known: string[] = [...Object.values(settings), tenantSetting]
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
