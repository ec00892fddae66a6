import type { Clock } from '../../clock.ts'
import { type CookieRules, sessionSecretIn } from './cookies.ts'
import type { ApiToken, OperatorAccount, OperatorStore, Session } from './operator-store.ts'
import { type Permission, permissionsOf, type Role } from './permissions.ts'
import { csrfTokenOf, hashOfSecret, isTokenSecret } from './secrets.ts'

/** The part of a request that says who sent it. Header names are in lower case. */
export type RequestFacts = {
  method: string
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Of the client, behind trusted proxies. */
  address: string
}

/** Who sent a request, and what they may do. */
export type Identity = {
  /** For audit rows and the access log: `operator:mai`, or `token:tok_…`. */
  actor: string
  operatorId: string | null
  /** Null for a token that belongs to no account. */
  role: Role | null
  permissions: ReadonlySet<Permission>
  /** One of the two is null. */
  session: { sessionId: string; csrfToken: string; method: Session['method']; endsAt: number } | null
  token: { tokenId: string; name: string; expiresAt: number } | null
}

export type Identify = (request: RequestFacts) => Promise<Identity | null>

/** A session ends this long after its last use, and after this long in any case. */
const idleMaxMs = 3_600_000
export const sessionMaxMs = 12 * 3_600_000
/** Uses are written down at most this often. */
export const touchEveryMs = 60_000

export function createIdentify({
  store,
  clock,
  cookies,
}: {
  store: OperatorStore
  clock: Pick<Clock, 'now'>
  cookies: CookieRules
}): Identify {
  const { accounts, sessions } = store

  async function byToken(secret: string, address: string): Promise<Identity | null> {
    if (!isTokenSecret(secret)) return null
    const now = clock.now()
    const token = await accounts.tokenOf(hashOfSecret(secret))
    if (token === null || !isLiveToken(token, now)) return null
    const owner = token.operatorId === null ? null : await accounts.operator(token.operatorId)
    if (token.operatorId !== null && owner?.status !== 'active') return null
    const { tokenId, name, expiresAt } = token
    await ifPossible(sessions.noteUse({ subject: `token ${tokenId}`, at: now, address }, now - touchEveryMs))
    return {
      actor: `token:${tokenId}`,
      operatorId: token.operatorId,
      role: owner?.role ?? null,
      permissions: allowedTo(token, owner),
      session: null,
      token: { tokenId, name, expiresAt },
    }
  }

  async function bySession(secret: string): Promise<Identity | null> {
    const now = clock.now()
    const sessionId = hashOfSecret(secret)
    const session = await sessions.session(sessionId)
    if (session === null || !isLiveSession(session, now)) return null
    const operator = await accounts.operator(session.operatorId)
    if (operator?.status !== 'active' || session.createdAt < operator.sessionsFrom) return null
    if (now - session.usedAt >= touchEveryMs)
      await ifPossible(sessions.touch(sessionId, now, now - touchEveryMs))
    const { operatorId, role } = operator
    return {
      actor: actorOf(operatorId),
      operatorId,
      role,
      permissions: permissionsOf(role),
      session: {
        sessionId,
        csrfToken: csrfTokenOf(secret),
        method: session.method,
        endsAt: session.createdAt + sessionMaxMs,
      },
      token: null,
    }
  }

  return async ({ headers, address }) => {
    const { authorization } = headers
    // A request that names a token is not helped out by a cookie.
    if (authorization !== undefined) {
      const [, secret] = /^Bearer ([^ ]+)$/i.exec(String(authorization)) ?? []
      return secret === undefined ? null : byToken(secret, address)
    }
    const secret = sessionSecretIn(headers.cookie, cookies)
    return secret === null ? null : bySession(secret)
  }
}

/** Whoever is signed in can still look around while the disk is full. */
async function ifPossible(writing: Promise<void>): Promise<void> {
  await writing.catch(() => {})
}

export function actorOf(operatorId: string): string {
  return `operator:${operatorId}`
}

function isLiveToken({ expiresAt, revokedAt }: ApiToken, now: number): boolean {
  return revokedAt === null && now < expiresAt
}

export function isLiveSession({ createdAt, usedAt }: Session, now: number): boolean {
  return now < createdAt + sessionMaxMs && now < usedAt + idleMaxMs
}

/** No more than its owner may do now. */
function allowedTo({ scopes }: ApiToken, owner: OperatorAccount | null): ReadonlySet<Permission> {
  if (owner === null) return new Set(scopes)
  const ofOwner = permissionsOf(owner.role)
  return new Set(scopes.filter((scope) => ofOwner.has(scope)))
}
