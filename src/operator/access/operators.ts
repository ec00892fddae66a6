import { type Actor, changeBy } from '../../partners/operator.ts'
import { Refused } from '../../partners/refused.ts'
import { aheadMaxMs } from './identify.ts'
import { operatorIdOf, operatorIdRule } from './operator-id.ts'
import type { OperatorAccount, OperatorAccounts } from './operator-store.ts'
import { passwordProblem, type Passwords } from './passwords.ts'
import type { Role } from './permissions.ts'

/** The parameters of every use case: the accounts, and who makes the change. */
export type OperatorChange = { accounts: OperatorAccounts; by: Actor; passwords: Passwords }
type AccountChange = Omit<OperatorChange, 'passwords'>

const operatorsMax = 1_000

type NewOperator = {
  operatorId: string
  role: Role
  /** Null: this operator signs in by OpenID Connect only. */
  password: string | null
}

/** `isFirst`: refused if there is any account already. */
export async function createOperator(
  { accounts, by, passwords }: OperatorChange,
  { operatorId: typed, role, password }: NewOperator,
  { isFirst = false } = {},
): Promise<OperatorAccount> {
  const operatorId = operatorIdOf(typed)
  if (operatorId === null) throw new Refused(`the name of the account ${operatorIdRule}`)
  const passwordHash = password === null ? null : await hashOf(password, operatorId, passwords)
  return accounts.changeOperator(operatorId, changeBy(by, 'operator create'), (before, all) => {
    if (isFirst && all.length > 0)
      throw new Refused('there is an account already: ask an admin for one, or run operator create')
    if (before !== undefined)
      throw new Refused(
        `the operator "${operatorId}" exists already; for a new password run operator reset ${operatorId}`,
      )
    if (all.length >= operatorsMax) throw new Refused(`there can be at most ${operatorsMax} operators`)
    const [sessionsFrom, createdAt] = [by.now, by.now]
    return { operatorId, role, status: 'active', passwordHash, oidcSubject: null, sessionsFrom, createdAt }
  })
}

/** Gives an account another role. It applies to the next request of its sessions. */
export function setRole(change: OperatorChange, operatorId: string, role: Role): Promise<OperatorAccount> {
  return changeExisting(change, operatorId, 'operator role', (before) => ({ ...before, role }))
}

/** All sessions end, and no new one begins. */
export function disableOperator(change: OperatorChange, operatorId: string): Promise<OperatorAccount> {
  return changeExisting(change, operatorId, 'operator disable', (before) => ({
    ...before,
    status: 'disabled',
    sessionsFrom: sessionsFrom(before, change),
  }))
}

/** Sets another password (null: none), lets a disabled account in again, and ends all sessions. */
export async function resetOperator(
  change: OperatorChange,
  operatorId: string,
  password: string | null,
  { forgetOidc = false } = {},
): Promise<OperatorAccount> {
  const passwordHash = password === null ? null : await hashOf(password, operatorId, change.passwords)
  return changeExisting(change, operatorId, 'operator reset', (before) => ({
    ...before,
    status: 'active',
    passwordHash,
    oidcSubject: forgetOidc ? null : before.oidcSubject,
    sessionsFrom: sessionsFrom(before, change),
  }))
}

/** By the operator, who has given the old one. All sessions end, this one too. */
export async function changeOwnPassword(
  change: OperatorChange,
  operatorId: string,
  password: string,
): Promise<OperatorAccount> {
  const passwordHash = await hashOf(password, operatorId, change.passwords)
  return changeExisting(change, operatorId, 'operator password', (before) => ({
    ...before,
    passwordHash,
    sessionsFrom: sessionsFrom(before, change),
  }))
}

/** At the first sign-in by OpenID Connect: from now on only this person there is this operator. */
export function linkOperator(
  change: OperatorChange,
  operatorId: string,
  oidcSubject: string,
): Promise<OperatorAccount> {
  return changeExisting(change, operatorId, 'operator link', (before) => {
    if (before.oidcSubject !== null && before.oidcSubject !== oidcSubject)
      throw new Refused(`the operator "${operatorId}" belongs to another person at the OpenID provider`)
    return { ...before, oidcSubject }
  })
}

/**
 * If `sessionsFrom` was written by a clock that was far ahead, it is now. Refused if the account was changed since it was read:
 * whoever signs in may have given the old password. Whoever calls it also ends what sessions there are.
 */
export function correctSessionsFrom(change: AccountChange, read: OperatorAccount): Promise<OperatorAccount> {
  return changeExisting(change, read.operatorId, 'operator sessions', (before) => {
    if (before.sessionsFrom !== read.sessionsFrom)
      throw new Refused(`the operator "${read.operatorId}" was changed meanwhile: sign in again`)
    return { ...before, sessionsFrom: sessionsFrom(before, change) }
  })
}

export function isFarAhead({ sessionsFrom }: OperatorAccount, now: number): boolean {
  return sessionsFrom > now + aheadMaxMs
}

/**
 * Later than the last such change, also if the clock was set back by less than an hour. Whoever calls it also ends what sessions
 * there are.
 */
function sessionsFrom(before: OperatorAccount, { by }: AccountChange): number {
  return (isFarAhead(before, by.now) ? by.now : Math.max(by.now, before.sessionsFrom)) + 1
}

/** The account with this name. Without this check, a mistyped name would end no session, and nobody would notice. */
export async function existingOperator(
  accounts: Pick<OperatorAccounts, 'operator'>,
  typed: string,
): Promise<OperatorAccount> {
  const operatorId = operatorIdOf(typed)
  const account = operatorId === null ? null : await accounts.operator(operatorId)
  if (account === null) throw noSuchOperator(typed)
  return account
}

function noSuchOperator(typed: string): Refused {
  return new Refused(`there is no operator "${typed}": operator list shows them all`)
}

async function hashOf(password: string, operatorId: string, passwords: Passwords): Promise<string> {
  const problem = passwordProblem(password, operatorId)
  if (problem !== null) throw new Refused(problem)
  return passwords.hash(password)
}

function changeExisting(
  { accounts, by }: AccountChange,
  typed: string,
  action: string,
  change: (before: OperatorAccount) => OperatorAccount,
): Promise<OperatorAccount> {
  const operatorId = operatorIdOf(typed) ?? typed
  return accounts.changeOperator(operatorId, changeBy(by, action), (before, all) => {
    if (before === undefined) throw noSuchOperator(typed)
    const after = change(before)
    const others = all.filter((one) => one.operatorId !== operatorId)
    if (isActiveAdmin(before) && ![...others, after].some(isActiveAdmin))
      throw new Refused(`"${operatorId}" is the last active admin: make another operator an admin first`)
    return after
  })
}

function isActiveAdmin({ role, status }: OperatorAccount): boolean {
  return role === 'admin' && status === 'active'
}
