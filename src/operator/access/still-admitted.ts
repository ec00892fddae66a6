import type { AdmittedAs } from '../../partners/partner-store.ts'
import type { ApiToken, OperatorAccount } from './operator-store.ts'
import { type Permission, permissionsOf } from './permissions.ts'

/** Between the admission of a request and its change, somebody took away what had allowed it. Nothing was changed. */
export class NoLongerAdmitted extends Error {
  readonly code: 'NOT_SIGNED_IN' | 'NOT_PERMITTED'

  constructor(code: NoLongerAdmitted['code'], why: string) {
    super(`nothing was changed: ${why}`)
    this.code = code
  }
}

/** The rows that allowed the request, as they are now. Null: there is none. */
type Rows = { operator: OperatorAccount | null; token: ApiToken | null }

/**
 * Call it inside the transaction of a change, when no other change can come in between. So a change is committed before
 * `operator disable`, `token revoke` or the loss of a role returns, or not at all.
 */
export function assertStillAdmitted(as: AdmittedAs, { operator, token }: Rows, now: number): void {
  const allowed =
    as.tokenId === null
      ? permissionsOfSession(as.sessionBeganAt, operator)
      : token && permissionsOfToken(token, operator, now)
  if (allowed === null)
    throw new NoLongerAdmitted(
      'NOT_SIGNED_IN',
      'the account was disabled, its sessions were ended or the token was revoked meanwhile',
    )
  if (as.permission !== null && !allowed.has(as.permission as Permission))
    throw new NoLongerAdmitted('NOT_PERMITTED', `the permission ${as.permission} was taken away meanwhile`)
}

/** Null: the account, or the session with it, has ended. */
export function permissionsOfSession(
  beganAt: number,
  operator: OperatorAccount | null,
): ReadonlySet<Permission> | null {
  if (operator?.status !== 'active' || beganAt < operator.sessionsFrom) return null
  return permissionsOf(operator.role)
}

/** No more than its owner may do now. Null: the token, or its owner's account, has ended. */
export function permissionsOfToken(
  { operatorId, scopes, expiresAt, revokedAt }: ApiToken,
  owner: OperatorAccount | null,
  now: number,
): ReadonlySet<Permission> | null {
  if (revokedAt !== null || now >= expiresAt) return null
  if (operatorId === null) return new Set(scopes)
  if (owner?.status !== 'active') return null
  const ofOwner = permissionsOf(owner.role)
  return new Set(scopes.filter((scope) => ofOwner.has(scope)))
}
