import { createHmac, hkdfSync } from 'node:crypto'
import { isSameText } from './secrets.ts'

/** Long enough to set up a new service, short enough that an old terminal is of no use. */
const validMs = 86_400_000

/**
 * The secret part of the link by which the first admin makes an account in the browser. Nothing is stored: every process on
 * this ledger can check it by the master key. It can be used once, because it is only valid while there is no account.
 */
export function firstAccountSecret(masterKey: Uint8Array, now: number): string {
  const validUntil = now + validMs
  return `${validUntil}.${macOf(masterKey, validUntil)}`
}

export function isFirstAccountSecret(masterKey: Uint8Array, secret: string, now: number): boolean {
  const [, until, mac] = /^([0-9]{1,15})\.([A-Za-z0-9_-]{43})$/.exec(secret) ?? []
  return mac !== undefined && now < Number(until) && isSameText(mac, macOf(masterKey, Number(until)))
}

/** The secret is behind the `#`: browsers do not send it, so that it is in no log of a proxy. */
export function firstAccountUrl(consoleUrl: string, secret: string): string {
  return `${consoleUrl}/sign-in#first=${secret}`
}

function macOf(masterKey: Uint8Array, validUntil: number): string {
  const key = Buffer.from(hkdfSync('sha256', masterKey, '', 'partner-credit first account', 32))
  return createHmac('sha256', key).update(String(validUntil)).digest('base64url')
}
