import { Type } from 'typebox'
import { isoTime } from '../../../rules/iso-time.ts'
import type { Identity } from '../../access/identify.ts'
import { isLiveSession } from '../../access/identify.ts'
import type { LastUse, OperatorAccount, Session } from '../../access/operator-store.ts'
import {
  createOperator,
  disableOperator,
  existingOperator,
  type OperatorChange,
  resetOperator,
  setRole,
} from '../../access/operators.ts'
import { newPassword } from '../../access/passwords.ts'
import { permissionsOf, roleNames } from '../../access/permissions.ts'
import { actorIn } from '../operator-of.ts'
import { type Call, route } from '../route.ts'
import { ended, issuedOperator, operator, operatorId, operatorList, role } from '../schemas/access.ts'
import { reasonOnly } from '../schemas/partners.ts'
import { exact, flag, reason, text } from '../schemas/values.ts'

const tag = 'Operators and tokens'
const ofOperator = exact({ operatorId })
const onlyHere = 'A generated password is only in this response.'

export const operatorRoutes = [
  route({
    method: 'GET',
    path: '/operators',
    tag,
    summary: 'Accounts, their roles and sessions',
    needs: 'operators.read',
    response: operatorList,
    async handle(call) {
      const { accounts, sessions } = call.parts.access.store
      const [uses, open] = [await sessions.lastUses(), await sessions.sessions()]
      return {
        body: {
          operators: (await accounts.operators()).map((account) => shown(account, uses, open, call)),
          roles: roleNames.map((name) => ({ role: name, permissions: [...permissionsOf(name)] })),
          provider: call.parts.access.oidc?.name ?? null,
        },
      }
    },
  }),

  route({
    method: 'POST',
    path: '/operators',
    tag,
    summary: 'Create an account',
    description: onlyHere,
    needs: 'operators.write',
    body: exact({
      operatorId,
      role,
      withPassword: flag('False: it signs in by OpenID Connect only.'),
      reason,
    }),
    status: 201,
    response: issuedOperator,
    async handle(call) {
      const { body } = call
      const password = body.withPassword ? newPassword() : null
      const made = await createOperator(changeOf(call), {
        operatorId: body.operatorId,
        role: body.role,
        password,
      })
      return { body: { operatorId: made.operatorId, role: made.role, password } }
    },
  }),

  route({
    method: 'PATCH',
    path: '/operators/{operatorId}',
    tag,
    summary: 'Give an account another role',
    description: 'It applies to the next request of its sessions.',
    needs: 'operators.write',
    params: ofOperator,
    body: exact({ role, reason }),
    response: operator,
    async handle(call) {
      return {
        body: await afterChange(call, await setRole(changeOf(call), call.params.operatorId, call.body.role)),
      }
    },
  }),

  route({
    method: 'POST',
    path: '/operators/{operatorId}/disable',
    tag,
    summary: 'Disable an account: its sessions and tokens end at once',
    needs: 'operators.write',
    params: ofOperator,
    body: reasonOnly,
    response: operator,
    async handle(call) {
      const changed = await disableOperator(changeOf(call), call.params.operatorId)
      await call.parts.access.store.sessions.endAll(changed.operatorId)
      return { body: await afterChange(call, changed) }
    },
  }),

  route({
    method: 'POST',
    path: '/operators/{operatorId}/reset',
    tag,
    summary: 'Generate another password, end all sessions, and enable the account',
    description: onlyHere,
    needs: 'operators.write',
    params: ofOperator,
    body: exact({
      withPassword: flag('False: it signs in by OpenID Connect only.'),
      forgetOidc: Type.Optional(flag('The next sign-in by OpenID Connect links it again.')),
      reason,
    }),
    response: issuedOperator,
    async handle(call) {
      const { withPassword, forgetOidc = false } = call.body
      const password = withPassword ? newPassword() : null
      const changed = await resetOperator(changeOf(call), call.params.operatorId, password, { forgetOidc })
      await call.parts.access.store.sessions.endAll(changed.operatorId)
      return { body: { operatorId: changed.operatorId, role: changed.role, password } }
    },
  }),

  route({
    method: 'DELETE',
    path: '/operators/{operatorId}/sessions',
    tag,
    summary: 'End all sessions of an operator',
    needs: 'operators.write',
    params: ofOperator,
    response: ended,
    async handle({ params, parts }) {
      const { accounts, sessions } = parts.access.store
      const { operatorId: id } = await existingOperator(accounts, params.operatorId)
      return { body: { ended: await sessions.endAll(id) } }
    },
  }),

  route({
    method: 'DELETE',
    path: '/operators/{operatorId}/sessions/{sessionId}',
    tag,
    summary: 'End one session',
    needs: 'operators.write',
    params: exact({ operatorId, sessionId: text('As GET /operators shows it.') }),
    status: 204,
    response: null,
    async handle({ params, parts }) {
      const { accounts, sessions } = parts.access.store
      const { operatorId: id } = await existingOperator(accounts, params.operatorId)
      const found = await sessions.session(params.sessionId)
      if (found?.operatorId === id) await sessions.end(params.sessionId)
      return { body: null }
    },
  }),
]

type Changing = Pick<
  Call<unknown, unknown, { reason: string }>,
  'identity' | 'permission' | 'address' | 'now' | 'parts' | 'body'
>

function changeOf(call: Changing): OperatorChange {
  const { store, passwords } = call.parts.access
  return { accounts: store.accounts, passwords, by: actorIn(call, call.body.reason) }
}

async function afterChange(call: Changing, account: OperatorAccount) {
  const { sessions } = call.parts.access.store
  return shown(account, await sessions.lastUses(), await sessions.sessions(), call)
}

function shown(
  { operatorId: id, role: has, status, passwordHash, oidcSubject, sessionsFrom, createdAt }: OperatorAccount,
  uses: LastUse[],
  open: Session[],
  { identity, now }: Pick<Call, 'identity' | 'now'>,
) {
  const last = uses.find(({ subject }) => subject === `operator ${id}`)
  return {
    operatorId: id,
    role: has,
    status,
    hasPassword: passwordHash !== null,
    hasOidc: oidcSubject !== null,
    createdAt: isoTime(createdAt, 'operators'),
    lastSignIn: last === undefined ? null : isoTime(last.at, 'operator_last_uses'),
    lastAddress: last?.address ?? null,
    sessions: open
      .filter((one) => one.operatorId === id && one.createdAt >= sessionsFrom && isLiveSession(one, now))
      .map((one) => shownSession(one, identity)),
  }
}

function shownSession(
  { sessionId, method, address, userAgent, createdAt, usedAt }: Session,
  identity: Identity | null,
) {
  return {
    sessionId,
    method,
    address,
    userAgent,
    createdAt: isoTime(createdAt, 'operator_sessions'),
    usedAt: isoTime(usedAt, 'operator_sessions'),
    isThis: identity?.session?.sessionId === sessionId,
  }
}
