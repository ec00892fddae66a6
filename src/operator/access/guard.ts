import type { RecordAccess } from './access-recorder.ts'
import { csrfProblem } from './csrf.ts'
import type { Identify, Identity, RequestFacts } from './identify.ts'
import { type Permission, roleWith } from './permissions.ts'

/** What a route needs. `action` is its method and path pattern, for the access log. */
type Needs = { permission: Permission | null; action: string; requestId: string }

type Refusal = {
  status: 401 | 403
  code: 'NOT_SIGNED_IN' | 'NOT_PERMITTED' | 'CSRF_REFUSED'
  detail: string
}

type Admission = { identity: Identity; refusal?: undefined } | { identity?: undefined; refusal: Refusal }

export type Guard = {
  /** Call it before anything of the request is done. What is denied to somebody we know is in the access log. */
  admit(request: RequestFacts, needs: Needs): Promise<Admission>
  /** Call it before personal data is sent. If it rejects, nothing may be sent. */
  recordRead(
    request: RequestFacts,
    identity: Identity,
    read: Pick<Needs, 'action' | 'requestId'> & { subject: string },
  ): Promise<void>
}

export function createGuard({
  identify,
  record,
  operatorUrl,
}: {
  identify: Identify
  record: RecordAccess
  operatorUrl: string | null
}): Guard {
  async function refuse(
    { address }: RequestFacts,
    { actor }: Identity,
    { action, requestId }: Needs,
    refusal: Refusal,
  ): Promise<Admission> {
    await record({ kind: 'denied', actor, address, action, requestId, subject: refusal.code })
    return { refusal }
  }

  return {
    async admit(request, needs) {
      const identity = await identify(request)
      if (identity === null) return { refusal: notSignedIn }
      const problem = csrfProblem(request, identity, operatorUrl)
      if (problem !== null)
        return refuse(request, identity, needs, { status: 403, code: 'CSRF_REFUSED', detail: problem })
      const { permission } = needs
      if (permission === null || identity.permissions.has(permission)) return { identity }
      return refuse(request, identity, needs, {
        status: 403,
        code: 'NOT_PERMITTED',
        detail: notPermitted(permission, identity),
      })
    },
    async recordRead({ address }, { actor }, { action, requestId, subject }) {
      await record({ kind: 'read', actor, address, action, subject, requestId })
    },
  }
}

const notSignedIn: Refusal = {
  status: 401,
  code: 'NOT_SIGNED_IN',
  detail: 'sign in, or send an API token: Authorization: Bearer pct_…',
}

function notPermitted(permission: Permission, { token, role }: Identity): string {
  return token === null
    ? `this needs the permission ${permission}, which the role ${roleWith(permission)} has; yours is ${role}`
    : `this needs the scope ${permission}, which the token "${token.name}" does not have`
}
