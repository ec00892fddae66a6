import type { Clock } from '../../clock.ts'
import { csrfProblem } from './csrf.ts'
import type { Identify, Identity, RequestFacts } from './identify.ts'
import type { AccessEvent, OperatorSessions } from './operator-store.ts'
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

/** How often old rows are looked for, where there is traffic. */
const tidyEveryMs = 60_000
const subjectLengthMax = 300

export function createGuard({
  identify,
  sessions,
  clock,
  operatorUrl,
}: {
  identify: Identify
  sessions: OperatorSessions
  clock: Clock
  operatorUrl: string | null
}): Guard {
  let tidiedAt = Number.NEGATIVE_INFINITY

  async function record(event: AccessEvent): Promise<void> {
    await sessions.recordAccess(event)
    if (clock.elapsed() - tidiedAt < tidyEveryMs) return
    tidiedAt = clock.elapsed()
    await sessions.tidy(clock.now())
  }

  async function refuse(
    { address }: RequestFacts,
    { actor }: Identity,
    { action, requestId }: Needs,
    refusal: Refusal,
  ): Promise<Admission> {
    const event = { at: clock.now(), kind: 'denied' as const, actor, address, action, requestId }
    await record({ ...event, subject: refusal.code })
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
      const shown = subject.slice(0, subjectLengthMax)
      await record({ at: clock.now(), kind: 'read', actor, address, action, subject: shown, requestId })
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
