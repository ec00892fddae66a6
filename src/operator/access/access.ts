import type { Clock } from '../../clock.ts'
import { createAccessRecorder, type RecordAccess } from './access-recorder.ts'
import { createBackOff } from './back-off.ts'
import { type CookieRules, cookieRulesOf } from './cookies.ts'
import { createGuard, type Guard } from './guard.ts'
import { createIdentify, type Identify } from './identify.ts'
import type { Oidc, OidcProvider } from './oidc.ts'
import type { OperatorStore } from './operator-store.ts'
import { createPasswords, type Passwords } from './passwords.ts'
import { createSignIn, type SignIn } from './sign-in.ts'

/** Everything that decides who is there and what they may do, for the routes of the API. */
export type Access = {
  store: OperatorStore
  identify: Identify
  guard: Guard
  record: RecordAccess
  signIn: SignIn
  passwords: Passwords
  cookies: CookieRules
  /** Where browsers reach the console; null: where the request came. */
  operatorUrl: string | null
  /** Null: there is none. `mayNoteFailure`: whether the access log takes a failure of the provider now. */
  oidc: { name: string; open(): Promise<Oidc>; mayNoteFailure(): boolean } | null
  clock: Clock
}

type Settings = { operatorUrl: string | null; oidc: (OidcProvider & { name: string }) | null }

/** Anybody can cause any number of the provider's failures. They must not push other failed sign-ins out of the access log. */
const failureNotedEveryMs = 10_000

export function createAccess(
  { operatorUrl, oidc }: Settings,
  {
    store,
    clock,
    masterKey,
    passwords = createPasswords(),
  }: { store: OperatorStore; clock: Clock; masterKey(): Promise<Uint8Array>; passwords?: Passwords },
): Access {
  const cookies = cookieRulesOf({ operatorUrl })
  const identify = createIdentify({ store, clock, cookies })
  const record = createAccessRecorder(store.sessions, clock)
  const backOff = createBackOff(store.sessions, masterKey)
  let opened: Promise<Oidc> | null = null
  let failureNotedAt = Number.NEGATIVE_INFINITY

  function openOnce(provider: OidcProvider): Promise<Oidc> {
    opened ??= openOidc(provider).catch((error) => {
      opened = null
      throw error
    })
    return opened
  }
  async function openOidc(provider: OidcProvider): Promise<Oidc> {
    // Loaded at the first sign-in by it: most services have no provider.
    const { createOidc } = await import('./oidc.ts')
    return createOidc({ ...provider, operatorUrl: operatorUrl! }, await masterKey(), clock)
  }
  function mayNoteFailure(): boolean {
    if (clock.elapsed() - failureNotedAt < failureNotedEveryMs) return false
    failureNotedAt = clock.elapsed()
    return true
  }

  return {
    store,
    identify,
    guard: createGuard({ identify, record, operatorUrl }),
    record,
    signIn: createSignIn({ store, clock, passwords, record, backOff }),
    passwords,
    cookies,
    operatorUrl,
    oidc: oidc === null ? null : { name: oidc.name, open: () => openOnce(oidc), mayNoteFailure },
    clock,
  }
}
