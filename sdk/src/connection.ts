import type { Fetch } from './attempt.ts'
import { InvalidArgumentError, isObject } from './errors.ts'
import type { RuleFault } from './rule-fault.ts'

export type PartnerCreditOptions = {
  /** Where the service is, without /v1: `https://credit.example.com`. http is for loopback addresses only. */
  baseUrl: string | URL | undefined
  /** `pck_…`; undefined is rejected with a message, so that you can pass an environment variable as it is. */
  apiKey: string | undefined
  /** `pcs_…`; the whole text, not decoded. */
  signingSecret: string | undefined
  /** Timeout of each attempt, until the whole response has arrived. 10,000 by default. */
  timeoutMs?: number | undefined
  /** How often a failed attempt is retried. 4 by default; 0: never. */
  retries?: number | undefined
  /** Used instead of the global fetch, for example one that uses a proxy. */
  fetch?: Fetch | undefined
}

/** The options, checked. */
export type Connection = {
  /** Without a slash at its end. */
  baseUrl: string
  apiKey: string
  signingSecret: string
  timeoutMs: number
  retries: number
  fetch: Fetch
}

const optionNames = new Set(['baseUrl', 'apiKey', 'signingSecret', 'timeoutMs', 'retries', 'fetch'])
const timeoutMsDefault = 10_000
const retriesDefault = 4

/** All broken rules are in one error, whose message never has a key or a secret. */
export function checkConnection(options: PartnerCreditOptions): Connection {
  if (!isObject(options)) {
    throw new InvalidArgumentError('the options', [{ pointer: '', detail: 'must be an object' }])
  }
  const { timeoutMs = timeoutMsDefault, retries = retriesDefault } = options
  const fetch = options.fetch ?? ((url, init) => globalThis.fetch(url, init))
  const faults: RuleFault[] = [
    ['baseUrl', baseUrlFault(options.baseUrl)],
    ['apiKey', apiKeyFault(options.apiKey)],
    ['signingSecret', signingSecretFault(options.signingSecret)],
    ['timeoutMs', timeoutFault(timeoutMs)],
    ['retries', Number.isInteger(retries) && retries >= 0 ? null : 'must be 0 or a whole number above'],
    ['fetch', typeof fetch === 'function' ? null : 'must be a function'],
  ].flatMap(([name, detail]) => (detail === null ? [] : [{ pointer: `/${name}`, detail: detail as string }]))
  for (const name of Object.keys(options)) {
    if (!optionNames.has(name)) faults.push({ pointer: `/${name}`, detail: 'is not an option' })
  }
  if (globalThis.crypto?.subtle === undefined) {
    const detail = 'WebCrypto is missing: a browser has it on https and localhost only'
    faults.push({ pointer: '', detail })
  }
  if (faults.length > 0) throw new InvalidArgumentError('PartnerCredit cannot be set up', faults)
  const { apiKey, signingSecret } = options as { apiKey: string; signingSecret: string }
  const baseUrl = String(new URL(options.baseUrl!)).replace(/\/+$/, '')
  return { baseUrl, apiKey, signingSecret, timeoutMs, retries, fetch }
}

export function checkTimeout(timeoutMs: number | undefined): void {
  const detail = timeoutMs === undefined ? null : timeoutFault(timeoutMs)
  if (detail !== null) throw new InvalidArgumentError('the options', [{ pointer: '/timeoutMs', detail }])
}

/** The longest delay of a timer: a longer one would fire at once. */
const timeoutMsMax = 2_147_483_647

function timeoutFault(timeoutMs: unknown): string | null {
  const isGood = Number.isInteger(timeoutMs) && (timeoutMs as number) >= 1
  return isGood && (timeoutMs as number) <= timeoutMsMax
    ? null
    : `must be whole milliseconds, from 1 to ${timeoutMsMax}`
}

function baseUrlFault(baseUrl: unknown): string | null {
  if (baseUrl === undefined || baseUrl === '') return 'is missing'
  const url = urlOf(baseUrl)
  if (url === null) return 'must be a URL such as https://credit.example.com'
  const { protocol, hostname, pathname, search, hash, username, password } = url
  if (protocol !== 'https:' && protocol !== 'http:') return 'must begin with https://'
  if (protocol === 'http:' && !isLoopback(hostname)) {
    return 'must begin with https://: without TLS your requests can be read and repeated'
  }
  if (username !== '' || password !== '') return 'must not have a user or a password in it'
  if (search !== '' || hash !== '') return 'must not have a query or a fragment'
  if (/\/v1(\/|$)/.test(pathname)) return 'must end before /v1: the client adds the path of each endpoint'
  return null
}

function urlOf(value: unknown): URL | null {
  try {
    return typeof value === 'string' || value instanceof URL ? new URL(value) : null
  } catch {
    return null
  }
}

function isLoopback(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(hostname)
}

function apiKeyFault(apiKey: unknown): string | null {
  if (typeof apiKey === 'string' && apiKey.startsWith('pcs_')) {
    return 'is a signing secret (pcs_…), which must never be sent: it belongs in signingSecret'
  }
  return credentialFault(apiKey)
}

function signingSecretFault(signingSecret: unknown): string | null {
  if (typeof signingSecret === 'string' && signingSecret.startsWith('pck_')) {
    return 'is an API key (pck_…): it belongs in apiKey'
  }
  return credentialFault(signingSecret)
}

/** A runtime that rejects a header value quotes it in its error, so such a value must not get that far. */
function credentialFault(credential: unknown): string | null {
  if (credential === undefined || credential === '') return 'is missing: is its environment variable set?'
  if (typeof credential !== 'string') return 'must be a string'
  if (/\s/.test(credential)) return 'has white space in it: was it copied with a line break?'
  return /^[\x21-\x7e]+$/.test(credential) ? null : 'has a character beyond ASCII: was it copied whole?'
}
