import { parseCookie, stringifySetCookie } from 'cookie'
import { isSessionSecret } from './secrets.ts'

/** `isSecure`: browsers reach the console by https, as OPERATOR_URL says. */
export type CookieRules = { isSecure: boolean }

export function cookieRulesOf({ operatorUrl }: { operatorUrl: string | null }): CookieRules {
  return { isSecure: operatorUrl?.startsWith('https:') ?? false }
}

/** Browsers take a cookie named __Host- only over https, for the whole host, and from no other host. */
function sessionCookieName({ isSecure }: CookieRules): string {
  return isSecure ? '__Host-partner-credit-session' : 'partner-credit-session'
}

/** Null: there is no session cookie, or it is none of ours. */
export function sessionSecretIn(header: string | string[] | undefined, rules: CookieRules): string | null {
  if (header === undefined) return null
  const secret = parseCookie([header].flat().join('; '))[sessionCookieName(rules)]
  return secret !== undefined && isSessionSecret(secret) ? secret : null
}

/** For set-cookie. It lasts until the browser is closed; the server ends it earlier. */
export function sessionCookie(secret: string, rules: CookieRules): string {
  return stringifySetCookie({ name: sessionCookieName(rules), value: secret, ...attributes(rules) })
}

export function endedSessionCookie(rules: CookieRules): string {
  return stringifySetCookie({ name: sessionCookieName(rules), value: '', maxAge: 0, ...attributes(rules) })
}

function attributes({ isSecure }: CookieRules) {
  return { httpOnly: true, sameSite: 'strict', path: '/', secure: isSecure } as const
}
