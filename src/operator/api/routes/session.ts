import { Type } from 'typebox'
import { isoTime } from '../../../rules/iso-time.ts'
import { endedSessionCookie, sessionCookie } from '../../access/cookies.ts'
import { originProblem } from '../../access/csrf.ts'
import { isFirstAccountSecret } from '../../access/first-account.ts'
import { actorOf, type Identity, type RequestFacts } from '../../access/identify.ts'
import type { OperatorAccount } from '../../access/operator-store.ts'
import { changeOwnPassword, createOperator } from '../../access/operators.ts'
import type { SignInResult } from '../../access/sign-in.ts'
import { actorIn } from '../operator-of.ts'
import { ApiProblem } from '../problem.ts'
import { type Call, type Reply, route } from '../route.ts'
import { ended, operatorId, password, sessionState, signedIn } from '../schemas/access.ts'
import { exact } from '../schemas/values.ts'

const tag = 'Session'

type AnyCall = Pick<Call<unknown, unknown, unknown>, 'headers' | 'address' | 'parts' | 'requestId' | 'now'>

export const sessionRoutes = [
  route({
    method: 'GET',
    path: '/session',
    tag,
    summary: 'Who you are, and what you may do',
    description: 'Where nobody is signed in, how to sign in. It is never a 401.',
    needs: 'anyone',
    response: sessionState,
    async handle(call) {
      const { access } = call.parts
      const identity = await access.identify(factsOf(call, 'GET'))
      if (identity !== null) return { body: whoIs(identity) }
      const needsFirstAccount = (await access.store.accounts.operators()).length === 0
      return { body: { needsFirstAccount, provider: access.oidc?.name ?? null } }
    },
  }),

  route({
    method: 'POST',
    path: '/session',
    tag,
    summary: 'Sign in with a password',
    description: 'The session is in a cookie. After several failures there is a pause (429, Retry-After).',
    needs: 'anyone',
    body: exact({ name: operatorId, password }),
    response: signedIn,
    async handle(call) {
      refuseOtherSites(call)
      return signInWith(call, call.body)
    },
  }),

  route({
    method: 'DELETE',
    path: '/session',
    tag,
    summary: 'Sign out',
    needs: 'signed in',
    status: 204,
    response: null,
    async handle({ identity, parts: { access } }) {
      await access.store.sessions.end(sessionIn(identity).sessionId)
      return { body: null, headers: { 'set-cookie': endedSessionCookie(access.cookies) } }
    },
  }),

  route({
    method: 'DELETE',
    path: '/session/everywhere',
    tag,
    summary: 'Sign out everywhere: end all of your sessions, this one too',
    needs: 'signed in',
    response: ended,
    async handle({ identity, parts: { access } }) {
      sessionIn(identity)
      const count = await access.store.sessions.endAll(identity!.operatorId!)
      return { body: { ended: count }, headers: { 'set-cookie': endedSessionCookie(access.cookies) } }
    },
  }),

  route({
    method: 'POST',
    path: '/session/password',
    tag,
    summary: 'Change your password',
    description: 'All of your other sessions end. This one is replaced by a new one.',
    needs: 'signed in',
    body: exact({ current: password, password }),
    response: signedIn,
    async handle(call) {
      const { access } = call.parts
      sessionIn(call.identity)
      const name = call.identity!.operatorId!
      const checked = await access.signIn.byPassword(
        { operatorId: name, password: call.body.current },
        attemptOf(call),
      )
      // Signing in checks the password and counts failures; the session that it begins ends with the change.
      signedInOperator(checked)
      await changeOwnPassword(
        { accounts: access.store.accounts, passwords: access.passwords, by: actorIn(call, null) },
        name,
        call.body.password,
      )
      await access.store.sessions.endAll(name)
      return signInWith(call, { name, password: call.body.password })
    },
  }),

  route({
    method: 'POST',
    path: '/session/first',
    tag,
    summary: 'Create the first account, with the link that the server has printed',
    description: 'Only while there is no account. It is an admin.',
    needs: 'anyone',
    body: exact({ secret: Type.String({ maxLength: 100 }), name: operatorId, password }),
    status: 201,
    response: signedIn,
    async handle(call) {
      refuseOtherSites(call)
      const { access, masterKey } = call.parts
      const { secret, name, password: chosen } = call.body
      if (!isFirstAccountSecret(await masterKey(), secret, call.now))
        throw new ApiProblem(
          'REFUSED',
          'the link is not valid, or older than a day: start the server again, or run operator create',
        )
      const change = {
        accounts: access.store.accounts,
        passwords: access.passwords,
        by: byOperator(call, name.trim().toLowerCase()),
      }
      await createOperator(change, { operatorId: name, role: 'admin', password: chosen }, { isFirst: true })
      return signInWith(call, { name, password: chosen })
    },
  }),
]

async function signInWith(
  call: AnyCall,
  typed: { name: string; password: string },
): Promise<Reply<ReturnType<typeof shownSession>>> {
  const { access } = call.parts
  const attempt = attemptOf(call)
  const result = await access.signIn.byPassword({ operatorId: typed.name, password: typed.password }, attempt)
  const { secret } = signedInOperator(result)
  const setCookie = sessionCookie(secret, access.cookies)
  const identity = await access.identify({
    ...attempt.request,
    headers: { cookie: setCookie.split(';', 1)[0] },
  })
  return { body: shownSession(identity!), headers: { 'set-cookie': setCookie } }
}

function signedInOperator(result: SignInResult): { secret: string; operator: OperatorAccount } {
  if (result.kind === 'signed in') return result
  if (result.kind === 'wrong')
    throw new ApiProblem('SIGN_IN_FAILED', 'the name or the password is wrong, or the account is disabled')
  if (result.kind === 'busy')
    throw new ApiProblem('UNAVAILABLE', 'too many people are signing in: try again', {
      headers: { 'retry-after': '1' },
    })
  const { seconds } = result
  throw new ApiProblem(
    'TOO_MANY_ATTEMPTS',
    `after several failures, wait ${seconds} s before the next attempt`,
    {
      members: { retryAfterSeconds: seconds },
      headers: { 'retry-after': String(seconds) },
    },
  )
}

function factsOf({ headers, address }: AnyCall, method: string): RequestFacts {
  return { method, headers, address }
}

export function attemptOf(call: AnyCall) {
  return { request: factsOf(call, 'POST'), requestId: call.requestId }
}

/** Another site must not sign somebody in, in an account of its own. */
function refuseOtherSites(call: AnyCall): void {
  const problem = originProblem(factsOf(call, 'POST'), call.parts.access.operatorUrl)
  if (problem !== null) throw new ApiProblem('CSRF_REFUSED', problem)
}

/** A token has no session. */
function sessionIn(identity: Identity | null): NonNullable<Identity['session']> {
  if (identity?.session) return identity.session
  throw new ApiProblem('REFUSED', 'this is about a session of the console, and you have sent a token')
}

function byOperator({ address, now }: AnyCall, name: string) {
  return { actor: actorOf(name), now, origin: 'console' as const, address, reason: null }
}

function whoIs(identity: Identity) {
  if (identity.session !== null) return shownSession(identity)
  const { token, operatorId: owner, permissions } = identity
  const { tokenId, name, expiresAt } = token!
  return {
    token: { tokenId, name, expiresAt: isoTime(expiresAt, 'operator_tokens') },
    operatorId: owner,
    permissions: [...permissions],
  }
}

function shownSession({ operatorId: id, role, permissions, session }: Identity) {
  const { csrfToken, method, endsAt } = session!
  return {
    operator: { operatorId: id!, name: id!, role: role! },
    permissions: [...permissions],
    csrfToken,
    method,
    endsAt: isoTime(endsAt),
  }
}
