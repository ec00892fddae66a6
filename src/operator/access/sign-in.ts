import type { Clock } from '../../clock.ts'
import { Refused } from '../../partners/refused.ts'
import type { RecordAccess } from './access-recorder.ts'
import type { BackOff } from './back-off.ts'
import { actorOf, type RequestFacts } from './identify.ts'
import type { AccessKind, OperatorAccount, OperatorStore, Session } from './operator-store.ts'
import { operatorIdOf } from './operator-id.ts'
import { correctSessionsFrom, isFarAhead } from './operators.ts'
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
  /**
   * Whoever calls it has proved by other means who it is. Returns the secret of the new session; null if the account was
   * disabled, or its sessions were ended, since it was read.
   */
  begin(operator: OperatorAccount, method: Session['method'], attempt: Attempt): Promise<string | null>
}

const wasAhead = 'the clock was ahead when sessionsFrom was written'
const passwordLengthMax = 1_000
const userAgentLengthMax = 200

export function createSignIn({
  store: { accounts, sessions },
  backOff,
  passwords,
  record,
  clock,
}: {
  store: OperatorStore
  backOff: BackOff
  passwords: Passwords
  record: RecordAccess
  clock: Pick<Clock, 'now'>
}): SignIn {
  function noted(
    operatorId: string | null,
    kind: AccessKind,
    action: string,
    { request: { address }, requestId }: Attempt,
  ): Promise<void> {
    // Not what was typed: somebody may have typed a password in the wrong field.
    const actor = operatorId === null ? 'unknown' : actorOf(operatorId)
    return record({ kind, actor, address, action, requestId, subject: null })
  }

  /** Otherwise no session that begins now would count. Null: the account was changed meanwhile. */
  async function corrected(
    operator: OperatorAccount,
    now: number,
    address: string,
  ): Promise<OperatorAccount | null> {
    const { operatorId } = operator
    const by = { actor: actorOf(operatorId), now, address, reason: wasAhead }
    try {
      const account = await correctSessionsFrom({ accounts, by }, operator)
      await sessions.endAll(operatorId)
      return account
    } catch (error) {
      if (error instanceof Refused) return null
      throw error
    }
  }

  async function begin(
    operator: OperatorAccount,
    method: Session['method'],
    attempt: Attempt,
  ): Promise<string | null> {
    const now = clock.now()
    const { address, headers } = attempt.request
    const account = isFarAhead(operator, now) ? await corrected(operator, now, address) : operator
    if (account === null) return null
    const { operatorId, sessionsFrom } = account
    const secret = newSessionSecret()
    const sessionId = hashOfSecret(secret)
    await noted(operatorId, 'sign-in', `sign-in by ${method}`, attempt)
    await sessions.begin({
      sessionId,
      operatorId,
      method,
      address,
      userAgent: String(headers['user-agent'] ?? '').slice(0, userAgentLengthMax),
      // Another machine, whose clock is ahead, may have made the account a moment ago.
      createdAt: Math.max(now, sessionsFrom),
      usedAt: Math.max(now, sessionsFrom),
    })
    // Whoever changes the account ends its sessions afterwards: this one is either seen there, or the change is seen here.
    const latest = await accounts.operator(operatorId)
    if (latest?.status !== 'active' || latest.sessionsFrom !== sessionsFrom) {
      await sessions.end(sessionId)
      return null
    }
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
        // Also if there is no account: how long it takes must not tell.
        if (operator === null || !matches || operator.status !== 'active') {
          await noted(operator?.operatorId ?? null, 'sign-in failed', whyFailed(operator, matches), attempt)
          return { kind: 'wrong' }
        }
      } catch (error) {
        if (error instanceof TooManyPasswords) return { kind: 'busy' }
        throw error
      }
      await backOff.succeed(operator.operatorId, address)
      const secret = await begin(operator, 'password', attempt)
      return secret === null ? { kind: 'wrong' } : { kind: 'signed in', secret, operator }
    },
  }
}

function whyFailed(operator: OperatorAccount | null, matches: boolean): string {
  if (operator === null) return 'sign-in without an account'
  return matches ? 'sign-in to a disabled account' : 'sign-in with a wrong password'
}
