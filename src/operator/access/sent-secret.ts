import { type CookieRules, sessionSecretIn } from './cookies.ts'
import { isTokenSecret } from './secrets.ts'

type SentSecret = { kind: 'token' | 'session'; secret: string }

/** The token or session that a request names, however its headers are written. Null: none that could be ours. */
export function sentSecret(
  { authorization, cookie }: Readonly<Record<string, string | string[] | undefined>>,
  cookies: CookieRules,
): SentSecret | null {
  // A request that names a token is not helped out by a cookie.
  if (authorization !== undefined) {
    const [, secret] = /^Bearer ([^ ]+)$/i.exec(String(authorization)) ?? []
    return secret !== undefined && isTokenSecret(secret) ? { kind: 'token', secret } : null
  }
  const secret = sessionSecretIn(cookie, cookies)
  return secret === null ? null : { kind: 'session', secret }
}
