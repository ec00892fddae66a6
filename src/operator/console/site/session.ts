import type { Api } from './api-client.ts'

/** Who is signed in, as GET /session says. */
export type SignedIn = {
  operator: { operatorId: string; name: string; role: string }
  permissions: string[]
  /** For the header of every change. */
  csrfToken: string
  /** How the session began. */
  method: 'password' | 'oidc'
  endsAt: string
}

/** What can be known before somebody is signed in. */
export type SignedOut = {
  /** Nobody has an account yet. */
  needsFirstAccount: boolean
  /** The name of the OpenID Connect provider; null if there is none. */
  provider: string | null
}

export function isSignedIn(session: SignedIn | SignedOut): session is SignedIn {
  return 'csrfToken' in session
}

export function readSession(api: Api): Promise<SignedIn | SignedOut> {
  return api.get('/session')
}

export function signIn(api: Api, account: { name: string; password: string }): Promise<SignedIn> {
  return api.send('POST', '/session', account)
}

/** With the secret of the link that the server prints while nobody has an account. */
export function createFirstAccount(
  api: Api,
  account: { secret: string; name: string; password: string },
): Promise<SignedIn> {
  return api.send('POST', '/session/first', account)
}

export function signOut(api: Api): Promise<void> {
  return api.send('DELETE', '/session')
}
