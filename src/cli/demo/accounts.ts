import { randomBytes } from 'node:crypto'
import type { OperatorAccounts } from '../../operator/access/operator-store.ts'
import { createOperator, disableOperator, type OperatorChange } from '../../operator/access/operators.ts'
import { createPasswords } from '../../operator/access/passwords.ts'
import { createToken } from '../../operator/access/tokens.ts'
import { dayMs } from '../../rules/vietnam-day.ts'

/** With which to sign in to the console. */
export type DemoAccount = { operatorId: string; password: string }

/** They have no password, so nobody can sign in as one of them. */
const colleagues = [
  { operatorId: 'mai', role: 'admin' },
  { operatorId: 'linh', role: 'support' },
  { operatorId: 'thu', role: 'viewer' },
] as const

/** Those who made the changes of the past, and a token. */
export async function createColleagues(accounts: OperatorAccounts, now: number): Promise<void> {
  const change = changeAt(accounts, now, 'first operators of the program')
  for (const colleague of colleagues) await createOperator(change, { ...colleague, password: null })
  await createToken(changeAt(accounts, now, 'dashboards'), {
    name: 'grafana',
    scopes: ['metrics.read', 'figures.read'],
    operatorId: null,
    expiresAt: now + 26 * dayMs,
  })
}

/** An account for whoever tries the demo, with another password at each start. */
export async function createDemoAccount(accounts: OperatorAccounts, now: number): Promise<DemoAccount> {
  await disableOperator(changeAt(accounts, now, 'linh works for another team now'), 'linh')
  const account = { operatorId: 'demo', password: randomBytes(9).toString('base64url') }
  await createOperator(changeAt(accounts, now, 'npm run demo'), { ...account, role: 'admin' })
  return account
}

function changeAt(accounts: OperatorAccounts, now: number, reason: string): OperatorChange {
  const by = { actor: 'cli:root', now, origin: 'command line', address: 'ops-1', reason } as const
  return { accounts, passwords: createPasswords(), by }
}
