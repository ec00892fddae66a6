import type { Clock } from '../../clock.ts'
import type { BackOff } from './back-off.ts'
import { actorOf, type RequestFacts } from './identify.ts'
import type { AccessKind, OperatorAccount, OperatorStore, Session } from './operator-store.ts'
import { operatorIdOf } from './operator-id.ts'
import { type Passwords, TooManyPasswords } from './passwords.ts'
import { hashOfSecret, newSessionSecret } from './secrets.ts'

/** `secret` goes into the cookie. A pause is in whole seconds, for Retry-After. */
export type SignInResult =
  | { kind: 'signed in'; secret: string; operator: OperatorAccount }
  | { kind: 'wrong' }
  | { kind: 'pause'; seconds: number }
  | { kind: 'busy' }

type Attempt = { request: RequestFacts; requestId: string }

export type SignIn = {
  byPassword(typed: { operatorId: string; password: string }, attempt: Attempt): Promise<SignInResult>
  /** Whoever calls it has proved by other means who it is. Returns the secret of the new session. */
  begin(operator: OperatorAccount, method: Session['method'], attempt: Attempt): Promise<string>
}

const passwordLengthMax = 1_000
const userAgentLengthMax = 200

export function createSignIn({
  store: { accounts, sessions },
  backOff,
  passwords,
  clock,
}: {
  store: OperatorStore
  backOff: BackOff
  passwords: Passwords
  clock: Pick<Clock, 'now'>
}): SignIn {
  async function record(
    operatorId: string,
    kind: AccessKind,
    action: string,
    attempt: Attempt,
  ): Promise<void> {
    const { request, requestId } = attempt
    const { address } = request
    const event = { at: clock.now(), kind, actor: actorOf(operatorId), address, action, requestId }
    await sessions.recordAccess({ ...event, subject: null })
  }

  async function begin(
    operator: OperatorAccount,
    method: Session['method'],
    attempt: Attempt,
  ): Promise<string> {
    const { operatorId, sessionsFrom } = operator
    const secret = newSessionSecret()
    const { address, headers } = attempt.request
    const now = clock.now()
    await record(operatorId, 'sign-in', `sign-in by ${method}`, attempt)
    await sessions.begin({
      sessionId: hashOfSecret(secret),
      operatorId,
      method,
      address,
      userAgent: String(headers['user-agent'] ?? '').slice(0, userAgentLengthMax),
      // Another machine, whose clock is ahead, may have made the account a moment ago.
      createdAt: Math.max(now, sessionsFrom),
      usedAt: Math.max(now, sessionsFrom),
    })
    await sessions.noteUse({ subject: `operator ${operatorId}`, at: now, address }, now)
    return secret
  }

  return {
    begin,
    async byPassword(typed, attempt) {
      const operatorId = operatorIdOf(typed.operatorId)
      const { address } = attempt.request
      const pause = await backOff.begin(operatorId ?? '', address, clock.now())
      if (pause > 0) return { kind: 'pause', seconds: Math.ceil(pause / 1000) }
      if (typed.password.length > passwordLengthMax) return { kind: 'wrong' }
      const operator = operatorId === null ? null : await accounts.operator(operatorId)
      try {
        const matches = await passwords.matches(typed.password, operator?.passwordHash ?? null)
        if (operator === null) return { kind: 'wrong' }
        if (!matches || operator.status !== 'active') {
          const action = matches ? 'sign-in to a disabled account' : 'sign-in with a wrong password'
          await record(operator.operatorId, 'sign-in failed', action, attempt)
          return { kind: 'wrong' }
        }
      } catch (error) {
        if (error instanceof TooManyPasswords) return { kind: 'busy' }
        throw error
      }
      await backOff.succeed(operator.operatorId, address)
      return { kind: 'signed in', secret: await begin(operator, 'password', attempt), operator }
    },
  }
}
