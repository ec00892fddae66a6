import { hkdfSync } from 'node:crypto'
import { parseCookie, stringifySetCookie } from 'cookie'
import * as client from 'openid-client'
import { addressList } from '../../access/address-list.ts'
import { seal, unseal } from '../../access/seal.ts'
import type { Clock } from '../../clock.ts'
import { hasControlCharacters } from '../../rules/control-characters.ts'
import { createAddressLimit } from '../../wire/address-limit.ts'
import { NotProved } from './not-proved.ts'
import { fetchFromProvider } from './provider-fetch.ts'

export type OidcProvider = { issuer: string; clientId: string; clientSecret: string; claim: string }
type OidcOptions = OidcProvider & { operatorUrl: string }

/** Somebody whom the provider knows. `name` is the claim that names the account; null: there is none that counts. */
export type ProvedPerson = { oidcSubject: string; name: string | null; to: string }

export type Oidc = {
  /** Where to send the browser, and the cookie that it brings back. `to` is the page to show after the sign-in. */
  start(to: string, address: string): Promise<{ url: string; setCookie: string }>
  /** `url` is the path and query that the browser came back with. Throws `NotProved`. */
  finish(url: string, cookies: string | undefined, address: string): Promise<ProvedPerson>
  /** The cookie has done its work. */
  endedCookie: string
}

export const oidcCallback = '/operator/v1/oidc/callback'
const startedMaxMs = 600_000
const requestMaxSeconds = 10
/** Then the provider's addresses are read again: they may have changed, or what it said was incomplete. */
const discoveredMaxMs = 600_000
/** Anybody can begin a sign-in. With a provider that does not respond, they must not occupy the whole API. */
const waitingMax = 8
/** And one stranger must not keep everybody else from signing in. */
const waitingPerAddressMax = 2
/** OpenID Connect Core 1.0, section 2. */
const subjectLengthMax = 255
const sealContext = 'oidc sign-in'

/** What is kept between the two requests, sealed in a cookie: so nothing has to be stored, and any process can go on. */
type Started = { state: string; nonce: string; verifier: string; to: string; until: number }

/**
 * The authorization code flow of OpenID Connect, with PKCE, state and nonce. The provider's addresses and keys are read when
 * somebody signs in, and kept for some minutes.
 */
export function createOidc(options: OidcOptions, masterKey: Uint8Array, clock: Clock): Oidc {
  const { issuer, clientId, clientSecret, claim, operatorUrl } = options
  const key = Buffer.from(hkdfSync('sha256', masterKey, '', 'partner-credit oidc', 32))
  const isSecure = operatorUrl.startsWith('https:')
  const cookieName = isSecure ? '__Host-partner-credit-oidc' : 'partner-credit-oidc'
  // Lax, because the browser brings it back from another site.
  const cookie = { name: cookieName, httpOnly: true, sameSite: 'lax', path: '/', secure: isSecure } as const
  let discovered: Promise<client.Configuration> | null = null
  let discoveredAt = 0
  let waiting = 0
  const places = createAddressLimit(waitingPerAddressMax, addressList([]))

  /** For what waits for the provider. */
  async function ifFew<T>(address: string, work: () => Promise<T>): Promise<T> {
    const place = waiting < waitingMax ? places.enter(address) : null
    if (place === null) throw new NotProved('busy', 'too many people are signing in at once')
    waiting++
    try {
      return await work()
    } finally {
      waiting--
      place.leave()
    }
  }

  function provider(): Promise<client.Configuration> {
    if (clock.elapsed() - discoveredAt >= discoveredMaxMs) discovered = null
    if (discovered === null) discoveredAt = clock.elapsed()
    discovered ??= discover().catch((error) => {
      discovered = null // the next sign-in tries again
      throw new NotProved(
        'provider-failed',
        `the OpenID provider cannot be used (${(error as Error).message})`,
        {
          cause: error,
        },
      )
    })
    return discovered
  }
  async function discover(): Promise<client.Configuration> {
    // The configuration allows http for this machine only.
    const insecure = issuer.startsWith('http:') ? [client.allowInsecureRequests] : []
    const configuration = await client.discovery(new URL(issuer), clientId, clientSecret, undefined, {
      // With the second one the signature of an id token is checked, too. Otherwise its connection alone would prove it.
      execute: [...insecure, client.enableNonRepudiationChecks],
      timeout: requestMaxSeconds,
      [client.customFetch]: fetchFromProvider,
    })
    client.buildAuthorizationUrl(configuration, {}) // throws if there is no address to send a browser to
    return configuration
  }

  function startedIn(cookies: string | undefined): Started {
    const sealed = parseCookie(cookies ?? '')[cookieName] ?? ''
    try {
      const started: Started = JSON.parse(unseal(key, Buffer.from(sealed, 'base64url'), sealContext))
      if (clock.now() < started.until) return started
    } catch {
      // None, of another ledger, or changed.
    }
    throw new NotProved(
      'not-started-here',
      'the sign-in was not started in this browser within the last ten minutes',
    )
  }

  async function prove(url: string, { state, nonce, verifier, to }: Started): Promise<ProvedPerson> {
    const configuration = await provider()
    try {
      const tokens = await client.authorizationCodeGrant(configuration, new URL(url, operatorUrl), {
        expectedState: state,
        expectedNonce: nonce,
        pkceCodeVerifier: verifier,
        idTokenExpected: true,
      })
      const proved = tokens.claims()!
      if (!isSubject(proved.sub)) throw new Error('the subject of its ID token is not one of OpenID Connect')
      // All from one of the two: whether an address is verified is said where the address is.
      const claims =
        proved[claim] === undefined
          ? await client.fetchUserInfo(configuration, tokens.access_token, proved.sub)
          : proved
      return { oidcSubject: `${proved.iss} ${proved.sub}`, name: nameIn(claims, claim), to }
    } catch (error) {
      throw new NotProved(
        'provider-failed',
        `the OpenID provider refused the sign-in (${(error as Error).message})`,
        {
          cause: error,
        },
      )
    }
  }

  return {
    async start(to, address) {
      const configuration = await ifFew(address, provider)
      const started: Started = {
        state: client.randomState(),
        nonce: client.randomNonce(),
        verifier: client.randomPKCECodeVerifier(),
        to: ownPath(to, operatorUrl),
        until: clock.now() + startedMaxMs,
      }
      const url = client.buildAuthorizationUrl(configuration, {
        redirect_uri: `${operatorUrl}${oidcCallback}`,
        scope: claim === 'email' ? 'openid email' : 'openid profile email',
        code_challenge: await client.calculatePKCECodeChallenge(started.verifier),
        code_challenge_method: 'S256',
        state: started.state,
        nonce: started.nonce,
      })
      const value = Buffer.from(seal(key, JSON.stringify(started), sealContext)).toString('base64url')
      const setCookie = stringifySetCookie({ ...cookie, value, maxAge: startedMaxMs / 1000 })
      return { url: url.href, setCookie }
    },

    async finish(url, cookies, address) {
      return ifFew(address, () => prove(url, startedIn(cookies)))
    },

    endedCookie: stringifySetCookie({ ...cookie, value: '', maxAge: 0 }),
  }
}

/** It is stored with the account. What could not be stored as it is would look as if somebody had changed it there. */
function isSubject(sub: string): boolean {
  return sub !== '' && sub.length <= subjectLengthMax && !hasControlCharacters(sub)
}

/** Anybody can claim an e-mail address: it counts if the provider has verified it. */
function nameIn(claims: Record<string, unknown>, claim: string): string | null {
  const value = claims[claim]
  if (typeof value !== 'string' || value === '') return null
  return claim === 'email' && claims.email_verified !== true ? null : value
}

const pathLengthMax = 500

/** A page of ours, and no address to which somebody else wants to lead the browser. */
function ownPath(to: string, operatorUrl: string): string {
  if (to.length > pathLengthMax || !URL.canParse(to, operatorUrl)) return '/'
  const { origin, pathname, search } = new URL(to, operatorUrl)
  // "/.//evil.example" has the path "//evil.example", which browsers take for another site.
  return origin === new URL(operatorUrl).origin ? `${pathname.replace(/^\/+/, '/')}${search}` : '/'
}
