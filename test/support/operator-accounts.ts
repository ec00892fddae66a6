import type { Clock } from '../../src/clock.ts'
import { createAccessRecorder } from '../../src/operator/access/access-recorder.ts'
import { createBackOff } from '../../src/operator/access/back-off.ts'
import { createGuard } from '../../src/operator/access/guard.ts'
import { createIdentify, type RequestFacts } from '../../src/operator/access/identify.ts'
import type { OperatorChange } from '../../src/operator/access/operators.ts'
import { createPasswords } from '../../src/operator/access/passwords.ts'
import { createSignIn } from '../../src/operator/access/sign-in.ts'
import type { OperatorAccount, OperatorStore, Session } from '../../src/operator/access/operator-store.ts'
import { openOperatorSessions } from '../../src/stores/open.ts'
import { aChange } from './operators.ts'
import type { Lifetime } from './service.ts'
import type { StoreLedger } from './store-ledger.ts'
import { aNoon } from './test-clock.ts'

/** The accounts of this ledger, and its sessions on a connection of their own. */
export async function anOperatorStore(
  test: Lifetime,
  { store, database }: Pick<StoreLedger, 'store' | 'database'>,
): Promise<OperatorStore> {
  const sessions = await openOperatorSessions(database, () => {})
  test.after(() => sessions.close())
  return { accounts: store.operators, sessions }
}

export function anAccount(overrides: Partial<OperatorAccount> = {}): OperatorAccount {
  return {
    operatorId: 'mai',
    role: 'admin',
    status: 'active',
    passwordHash: null,
    oidcSubject: null,
    sessionsFrom: aNoon,
    createdAt: aNoon,
    ...overrides,
  }
}

export function putAccount({ accounts }: OperatorStore, account: OperatorAccount): Promise<OperatorAccount> {
  return accounts.changeOperator(account.operatorId, aChange({ action: 'operator create' }), () => account)
}

export function aSession(overrides: Partial<Session> = {}): Session {
  return {
    sessionId: 'a'.repeat(64),
    operatorId: 'mai',
    method: 'password',
    address: '192.0.2.7',
    userAgent: 'a browser',
    createdAt: aNoon,
    usedAt: aNoon,
    ...overrides,
  }
}

/** A request as the operator API sees it. */
export function aRequest(overrides: Partial<RequestFacts> = {}): RequestFacts {
  return { method: 'GET', headers: {}, address: '192.0.2.7', ...overrides }
}

/** With the cookie of this session, and all that a browser sends from the console itself. */
export function aBrowserRequest(secret: string, overrides: Partial<RequestFacts> = {}): RequestFacts {
  const { headers, ...rest } = aRequest(overrides)
  return {
    ...rest,
    headers: {
      cookie: `partner-credit-session=${secret}`,
      host: '127.0.0.1:8081',
      origin: 'http://127.0.0.1:8081',
      'sec-fetch-site': 'same-origin',
      ...headers,
    },
  }
}

/** Everything that decides about access, on this store. */
export function accessTo(
  store: OperatorStore,
  clock: Clock,
  passwords = createPasswords({ memory: 32, passes: 1, parallelism: 1 }),
) {
  const cookies = { isSecure: false }
  const identify = createIdentify({ store, clock, cookies })
  const record = createAccessRecorder(store.sessions, clock)
  const backOff = createBackOff(store.sessions, async () => new Uint8Array(32))
  const signIn = createSignIn({ store, clock, passwords, record, backOff })
  const guard = createGuard({ identify, record, operatorUrl: null })
  const change = (): OperatorChange => ({
    accounts: store.accounts,
    passwords,
    by: { actor: 'test', now: clock.now(), origin: 'api', address: '192.0.2.7', reason: null },
  })
  return { identify, signIn, guard, change }
}
