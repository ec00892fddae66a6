import { createHmac, hash, randomBytes, timingSafeEqual } from 'node:crypto'

const secretBytes = 32
const tokenPrefix = 'pct_'

export function newSessionSecret(): string {
  return randomBytes(secretBytes).toString('base64url')
}

export function newTokenSecret(): string {
  return `${tokenPrefix}${randomBytes(secretBytes).toString('base64url')}`
}

export function newTokenId(): string {
  return `tok_${randomBytes(8).toString('hex')}`
}

/** A secret of 32 random bytes cannot be found from it, so it needs no salt and no slow hash. */
export function hashOfSecret(secret: string): string {
  return hash('sha256', secret)
}

const formOfSession = /^[A-Za-z0-9_-]{43}$/
const formOfToken = /^pct_[A-Za-z0-9_-]{43}$/

export function isSessionSecret(text: string): boolean {
  return formOfSession.test(text)
}

export function isTokenSecret(text: string): boolean {
  return formOfToken.test(text)
}

/** Follows from the session's secret, which scripts of another site cannot read: nothing has to be stored. */
export function csrfTokenOf(sessionSecret: string): string {
  return createHmac('sha256', sessionSecret).update('csrf').digest('base64url')
}

/** Takes the same time wherever they differ. */
export function isSameText(a: string, b: string): boolean {
  return timingSafeEqual(Buffer.from(hash('sha256', a), 'hex'), Buffer.from(hash('sha256', b), 'hex'))
}
