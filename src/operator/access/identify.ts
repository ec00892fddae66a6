import type { Clock } from '../../clock.ts'
import type { CookieRules } from './cookies.ts'
import type { OperatorStore, Session } from './operator-store.ts'
import type { Permission, Role } from './permissions.ts'
import { csrfTokenOf, hashOfSecret } from './secrets.ts'
import { sentSecret } from './sent-secret.ts'
import { permissionsOfSession, permissionsOfToken } from './still-admitted.ts'

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
  session: {
    sessionId: string
    csrfToken: string
    method: Session['method']
    beganAt: number
    endsAt: number
  } | null
  token: { tokenId: string; name: string; expiresAt: number } | null
}

export type Identify = (request: RequestFacts) => Promise<Identity | null>

/** A session ends this long after its last use, and after this long in any case. */
const idleMaxMs = 3_600_000
export const sessionMaxMs = 12 * 3_600_000
/** A time that is later by more than this was written by a clock that was wrong. Less can be another machine's clock. */
export const aheadMaxMs = 3_600_000
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
    const now = clock.now()
    const token = await accounts.tokenOf(hashOfSecret(secret))
    if (token === null) return null
    const owner = token.operatorId === null ? null : await accounts.operator(token.operatorId)
    const permissions = permissionsOfToken(token, owner, now)
    if (permissions === null) return null
    const { tokenId, name, expiresAt } = token
    await ifPossible(sessions.noteUse({ subject: `token ${tokenId}`, at: now, address }, now - touchEveryMs))
    return {
      actor: `token:${tokenId}`,
      operatorId: token.operatorId,
      role: owner?.role ?? null,
      permissions,
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
    const permissions = permissionsOfSession(session.createdAt, operator)
    if (operator === null || permissions === null) return null
    if (now - session.usedAt >= touchEveryMs)
      await ifPossible(sessions.touch(sessionId, now, now - touchEveryMs))
    const { operatorId, role } = operator
    return {
      actor: actorOf(operatorId),
      operatorId,
      role,
      permissions,
      session: {
        sessionId,
        csrfToken: csrfTokenOf(secret),
        method: session.method,
        beganAt: session.createdAt,
        endsAt: session.createdAt + sessionMaxMs,
      },
      token: null,
    }
  }

  return async ({ headers, address }) => {
    const sent = sentSecret(headers, cookies)
    if (sent === null) return null
    return sent.kind === 'token' ? byToken(sent.secret, address) : bySession(sent.secret)
  }
}

/** Whoever is signed in can still look around while the disk is full. */
async function ifPossible(writing: Promise<void>): Promise<void> {
  await writing.catch(() => {})
}

export function actorOf(operatorId: string): string {
  return `operator:${operatorId}`
}

/** One that began while the clock was far ahead would otherwise last until then. */
export function isLiveSession({ createdAt, usedAt }: Session, now: number): boolean {
  if (Math.max(createdAt, usedAt) > now + aheadMaxMs) return false
  return now < createdAt + sessionMaxMs && now < usedAt + idleMaxMs
}
