import { readFileSync, statSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { parseAddressList } from './access/address-list.ts'
import { parseMasterKey } from './access/master-key.ts'
import type { DatabaseLocation } from './stores/open.ts'
import { type Caps, capMax } from './rules/caps.ts'

export type Config = Readonly<{
  host: string
  port: number
  operatorHost: string
  operatorPort: number
  /** Where browsers reach the console, if not at the address above; null: there. */
  operatorUrl: string | null
  /** The OpenID provider by which operators can sign in; null: none. */
  oidc: Readonly<OidcSettings> | null
  /** The number of server processes. */
  workers: number
  database: DatabaseLocation
  /** Null if the embedded ledger keeps its key beside the database, or if the command needs no key. */
  masterKey: Uint8Array | null
  clockWindowMs: number
  connectionsPerAddress: number
  /** Proxies in front of the service. `connectionsPerAddress` does not apply to them; their X-Forwarded-For is believed. */
  trustProxy: readonly string[]
  logLevel: LogLevel
  /** Single refusals stay in the journal this long; 0: only counts. */
  refusalDays: number
  /** Only those that are set. They become the default caps of a ledger that has none yet. */
  caps: Readonly<Partial<Caps>>
}>

type OidcSettings = {
  issuer: string
  clientId: string
  clientSecret: string
  /** The claim that names the account. */
  claim: string
  /** What the console calls the provider. */
  name: string
}

/** From the most lines to none. */
const logLevels = ['debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export type Environment = Record<string, string | undefined>

/** The settings with their defaults; each is also a flag of `serve` (`--clock-window-ms`). */
export const settings = {
  PORT: { default: '8080', about: 'port of the partner API' },
  HOST: { default: '127.0.0.1', about: 'address the partner API binds to' },
  OPERATOR_PORT: { default: '8081', about: 'port of the operator listener' },
  OPERATOR_HOST: { default: '127.0.0.1', about: 'address the operator listener binds to' },
  OPERATOR_URL: {
    default: '',
    about:
      'address of the console in browsers, such as https://console.example.com, if a proxy is in front of it',
  },
  OIDC_ISSUER: { default: '', about: 'OpenID provider by which operators sign in; needs OPERATOR_URL' },
  OIDC_CLIENT_ID: { default: '', about: 'our client id at the OpenID provider' },
  OIDC_CLIENT_SECRET: { default: '', about: 'our client secret at the OpenID provider' },
  OIDC_CLAIM: { default: 'email', about: 'claim of the OpenID provider that is the name of the account' },
  OIDC_NAME: { default: 'OpenID', about: 'name of the OpenID provider on the sign-in page' },
  WORKERS: { default: '1', about: 'number of server processes; more than one needs PostgreSQL' },
  DATABASE_URL: { default: 'sqlite:./data/partner-credit.db', about: 'the database of the ledger' },
  MASTER_KEY: {
    default: '',
    about: '32 bytes in base64 that encrypt the signing secrets (default: a file beside the database)',
  },
  CLOCK_WINDOW_MS: {
    default: '300000',
    about: 'allowed difference between X-Timestamp and the clock, in ms',
  },
  CONNECTIONS_PER_ADDRESS: {
    default: '1024',
    about: 'maximum number of open connections per client address',
  },
  TRUST_PROXY: {
    default: '',
    about:
      'addresses or networks of your proxies: exempt from CONNECTIONS_PER_ADDRESS, and believed in X-Forwarded-For',
  },
  LOG_LEVEL: { default: 'info', about: `lowest level that is logged: ${logLevels.join(', ')}` },
  REFUSAL_DAYS: { default: '30', about: 'days that the journal keeps single refusals; 0 keeps only counts' },
  CAP_PER_TX: { default: '10000', about: 'EP per award: default cap of a new ledger' },
  CAP_PER_PARTNER_DAY: {
    default: '1000000',
    about: 'EP per partner, tenant and day: default cap of a new ledger',
  },
  CAP_PER_USER_DAY: {
    default: '20000',
    about: 'EP per user, tenant and day: default cap of a new ledger',
  },
} as const

export type SettingName = keyof typeof settings

const capSettings: Record<keyof Caps, SettingName> = {
  perTx: 'CAP_PER_TX',
  perPartnerDay: 'CAP_PER_PARTNER_DAY',
  perUserDay: 'CAP_PER_USER_DAY',
}

/** Invalid settings. It lists all of them, so that one start is enough to find them. */
export class ConfigError extends Error {
  readonly problems: string[]

  constructor(problems: string[]) {
    super(
      `${problems.length === 1 ? 'a setting is' : `${problems.length} settings are`} invalid:\n${problems.map((line) => `  ${line}`).join('\n')}`,
    )
    this.problems = problems
  }
}

/** Commands that neither read nor write secrets need no master key. */
type ConfigNeeds = { masterKey: boolean }

export function readConfig(environment: Environment, needs: ConfigNeeds = { masterKey: true }): Config {
  const problems: string[] = []
  const text = (name: SettingName) => environment[name] || settings[name].default

  function integer(name: SettingName, { min, max }: { min: number; max: number }): number {
    const value = /^[0-9]{1,16}$/.test(text(name)) ? Number(text(name)) : Number.NaN
    if (value >= min && value <= max) return value
    problems.push(`${name} must be an integer from ${min} to ${max}, not "${text(name)}"`)
    return min
  }
  function givenCaps(): Partial<Caps> {
    const given = Object.entries(capSettings).filter(([, name]) => environment[name])
    return Object.fromEntries(given.map(([cap, name]) => [cap, integer(name, { min: 0, max: capMax })]))
  }
  function database(): DatabaseLocation {
    const url = text('DATABASE_URL')
    if (/^postgres(ql)?:\/\//.test(url) && URL.canParse(url)) {
      if (!isDecodable(new URL(url)))
        problems.push('DATABASE_URL has an invalid percent escape in user, host or database: write % as %25')
      problems.push(...tlsProblems(new URL(url).searchParams))
      return { kind: 'postgres', url }
    }
    // SQLite would take "file:" for a URL, and keep some of the files beside the ledger elsewhere, readable by others.
    const path = /^sqlite:(?!\/\/|:|file:)(.+)$/.exec(url)?.[1]
    // The URL is not repeated: it may have a password in it.
    if (path === undefined) {
      problems.push(
        'DATABASE_URL must have the form sqlite:./data/partner-credit.db or postgres://user@host/database',
      )
    }
    return { kind: 'sqlite', path: path ?? '' }
  }
  function masterKey(): Uint8Array | null {
    if (text('MASTER_KEY') === '') {
      if (needs.masterKey && text('DATABASE_URL').startsWith('postgres')) {
        problems.push('MASTER_KEY is required on PostgreSQL')
      }
      return null
    }
    const key = parseMasterKey(text('MASTER_KEY'))
    if (key === null)
      problems.push('MASTER_KEY must be 32 bytes in base64; create one with: openssl rand -base64 32')
    return key
  }
  function addresses(name: SettingName): readonly string[] {
    const list = parseAddressList(text(name))
    if (list !== null) return list
    problems.push(
      `${name} must list addresses or networks, such as "192.0.2.7, 10.0.0.0/8", not "${text(name)}"`,
    )
    return []
  }
  /** The origin, without a slash at the end. */
  function operatorUrl(): string | null {
    const url = text('OPERATOR_URL')
    if (url === '') return null
    const { protocol, origin, pathname, search, hash } = URL.canParse(url) ? new URL(url) : noUrl
    if (/^https?:$/.test(protocol) && pathname === '/' && search + hash === '') return origin
    problems.push('OPERATOR_URL must be an address without a path, such as https://console.example.com')
    return null
  }
  function oidc(): OidcSettings | null {
    const issuer = text('OIDC_ISSUER')
    if (issuer === '') return null
    const { protocol, hostname } = URL.canParse(issuer) ? new URL(issuer) : noUrl
    const isLocal = ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
    if (protocol !== 'https:' && !(protocol === 'http:' && isLocal))
      problems.push('OIDC_ISSUER must be an https address: passwords and codes travel through it')
    for (const name of ['OPERATOR_URL', 'OIDC_CLIENT_ID', 'OIDC_CLIENT_SECRET'] as const)
      if (text(name) === '') problems.push(`${name} is required with OIDC_ISSUER`)
    const [clientId, clientSecret] = [text('OIDC_CLIENT_ID'), text('OIDC_CLIENT_SECRET')]
    return { issuer, clientId, clientSecret, claim: text('OIDC_CLAIM'), name: text('OIDC_NAME') }
  }
  function logLevel(): LogLevel {
    const level = logLevels.find((name) => name === text('LOG_LEVEL'))
    if (level === undefined)
      problems.push(`LOG_LEVEL must be one of ${logLevels.join(', ')}, not "${text('LOG_LEVEL')}"`)
    return level ?? 'info'
  }

  const config: Config = {
    host: text('HOST'),
    port: integer('PORT', { min: 0, max: 65_535 }),
    operatorHost: text('OPERATOR_HOST'),
    operatorPort: integer('OPERATOR_PORT', { min: 0, max: 65_535 }),
    operatorUrl: operatorUrl(),
    oidc: Object.freeze(oidc()),
    workers: integer('WORKERS', { min: 1, max: 64 }),
    database: database(),
    masterKey: masterKey(),
    clockWindowMs: integer('CLOCK_WINDOW_MS', { min: 1, max: 86_400_000 }),
    connectionsPerAddress: integer('CONNECTIONS_PER_ADDRESS', { min: 1, max: 4_096 }),
    trustProxy: Object.freeze(addresses('TRUST_PROXY')),
    logLevel: logLevel(),
    refusalDays: integer('REFUSAL_DAYS', { min: 0, max: 3_650 }),
    caps: Object.freeze(givenCaps()),
  }
  const { host, port, operatorHost, operatorPort } = config
  if (port !== 0 && port === operatorPort && host === operatorHost) {
    problems.push(`PORT and OPERATOR_PORT must differ; both are ${port}`)
  }
  if (problems.length > 0) throw new ConfigError(problems)
  return Object.freeze(config)
}

/** For commands that change something: a server takes no such setting. */
export function isReasonRequired({ REQUIRE_REASON = '' }: Environment): boolean {
  if (!['', '0', '1'].includes(REQUIRE_REASON))
    throw new ConfigError([`REQUIRE_REASON must be 1 or 0, not "${REQUIRE_REASON}"`])
  return REQUIRE_REASON === '1'
}

/** Of the driver. */
const tlsParameters = ['sslmode', 'sslrootcert', 'sslcert', 'sslkey', 'ssl', 'sslnegotiation']

/** Otherwise the driver would connect without TLS, or to whoever responds, and nobody would notice. */
function tlsProblems(parameters: URLSearchParams): string[] {
  return [...new Set(parameters.keys())].flatMap((name) => {
    if (name === 'uselibpqcompat')
      return 'DATABASE_URL: with uselibpqcompat no certificate is checked. Write sslmode=verify-full, or no-verify if that is what you want'
    if (!/ssl|tls/i.test(name)) return []
    if (!tlsParameters.includes(name))
      return `DATABASE_URL has the parameter "${name}", which would be ignored: those for TLS are ${tlsParameters.join(', ')}`
    return parameters.getAll(name).length > 1 ? `DATABASE_URL has "${name}" more than once` : []
  })
}

const noUrl = { protocol: '', hostname: '', origin: '', pathname: '', search: '', hash: '' }

function isDecodable({ username, hostname, pathname }: URL): boolean {
  try {
    decodeURIComponent(username + hostname + pathname)
    return true
  } catch {
    return false
  }
}

/** The `.env` file of the working directory, if there is one, overridden by the process's environment. */
export function readEnvironment(): Environment {
  return { ...readDotEnv(), ...process.env }
}

/** Of a process that was given all of its settings. */
export function givenEnvironment(): Environment {
  return process.env
}

/** What another process of ours is given: in its environment, the driver would also read what else is in `.env`. */
export function settingsIn(environment: Environment): Environment {
  return Object.fromEntries(Object.keys(settings).map((name) => [name, environment[name]]))
}

function readDotEnv(): Environment {
  let file: Environment
  let mode: number
  try {
    file = parseEnv(textOf(readFileSync('.env')))
    mode = statSync('.env').mode
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return {}
    const why = code === 'EISDIR' ? 'it is a folder' : message
    throw new Error(`.env in the working directory cannot be read: ${why}`, { cause: error })
  }
  refuseOpenSecrets(file, mode)
  return file
}

/** A byte order mark would become a part of the first name, and in UTF-16 no line would be a setting: unnoticed, both. */
function textOf(bytes: Uint8Array): string {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch {}
  throw new Error('it is not UTF-8: save it in that encoding')
}

/** As with the file `master.key`: other users could have read or replaced them. */
function refuseOpenSecrets(file: Environment, mode: number): void {
  const { MASTER_KEY, OIDC_CLIENT_SECRET, DATABASE_URL = '' } = file
  const hasSecret = MASTER_KEY || OIDC_CLIENT_SECRET || hasPassword(DATABASE_URL)
  if (!hasSecret || (mode & 0o077) === 0) return
  throw new ConfigError([
    `.env in the working directory holds a secret and can be read or changed by other users (mode ${(mode & 0o777).toString(8)}): run chmod 600 on it, and if they are not trusted, replace its secrets`,
  ])
}

function hasPassword(url: string): boolean {
  if (!URL.canParse(url)) return false
  const { password, searchParams } = new URL(url)
  return password !== '' || searchParams.has('password')
}
