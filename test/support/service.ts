import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { type Config, readConfig } from '../../src/config.ts'
import type { LedgerSnapshot } from '../../src/ledger/ledger-snapshot.ts'
import { verifyLedger, type Verification } from '../../src/ledger/verify.ts'
import { createPartner } from '../../src/partners/create-partner.ts'
import type { Operator } from '../../src/partners/operator.ts'
import { serve } from '../../src/serve.ts'
import { openSqlite } from '../../src/stores/sqlite/open.ts'
import { openSnapshot } from '../../src/stores/sqlite/snapshot.ts'
import { createClient, type Client } from './client.ts'
import { createTestClock, type TestClock } from './test-clock.ts'

/** A real service on a real database in a folder of its own, with a clock that the test moves. */
export type TestService = {
  url: string
  operatorUrl: string
  config: Config
  clock: TestClock
  /** The partner "acme" with the tenants t1 and t2. */
  acme: Client
  /** The partner "globex" with the tenant t1: for whatever crosses partners. */
  globex: Client
  /** Every line logged so far. */
  log: string[]
  /** Runs an operator's use case on the same database, beside the server. */
  operate<T>(work: (operator: Operator) => Promise<T>): Promise<T>
  verify(): Promise<Verification>
  /** The whole ledger as text: every entry, every account, every user's day. */
  dump(): Promise<string>
  stop(): Promise<void>
}

/** A test, a suite or a whole file: what is started for it ends with it. */
export type Lifetime = { after(release: () => Promise<void> | void): void }

export async function startService(
  test: Lifetime,
  environment: Record<string, string> = {},
): Promise<TestService> {
  const folder = mkdtempSync(join(tmpdir(), 'partner-credit-test-'))
  const config = readConfig({
    PORT: '0',
    OPERATOR_PORT: '0',
    DATABASE_URL: `sqlite:${join(folder, 'ledger.db')}`,
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    ...environment,
  })
  const clock = createTestClock()
  async function operate<T>(work: (operator: Operator) => Promise<T>): Promise<T> {
    const store = openSqlite(config.databasePath)
    try {
      return await work({ store: store.partners, actor: 'test', now: clock.now() })
    } finally {
      await store.close()
    }
  }
  async function atOneInstant<T>(read: (snapshot: LedgerSnapshot) => Promise<T>): Promise<T> {
    const snapshot = openSnapshot(config.databasePath)
    try {
      return await read(snapshot)
    } finally {
      await snapshot.close()
    }
  }
  const partner = (partnerId: string, tenants: string[]) =>
    operate((operator) =>
      createPartner(
        operator,
        { partnerId, name: partnerId, tenants, perTx: null, perPartnerDay: null },
        config.masterKey!,
      ),
    )
  const acmeKey = await partner('acme', ['t1', 't2'])
  const globexKey = await partner('globex', ['t1'])

  const log: string[] = []
  const service = await serve(config, {
    clock,
    log: pino({ base: null }, { write: (line) => void log.push(line) }),
  })
  const { partnerUrl: url, operatorUrl, stop } = service
  test.after(async () => {
    await stop()
    rmSync(folder, { recursive: true })
  })
  return {
    url,
    operatorUrl,
    config,
    clock,
    acme: createClient(url, acmeKey, clock),
    globex: createClient(url, globexKey, clock),
    log,
    operate,
    verify: () => atOneInstant((snapshot) => verifyLedger(snapshot, () => {})),
    dump: () => atOneInstant(dumpOf),
    stop,
  }
}

async function dumpOf(snapshot: LedgerSnapshot): Promise<string> {
  const tables = [snapshot.entries(), snapshot.accounts(), snapshot.userDays()]
  const rows = await Promise.all(tables.map((chunks) => Array.fromAsync<unknown>(chunks)))
  return JSON.stringify(rows, null, 1)
}

export function temporaryFolder(test: Lifetime): string {
  const folder = mkdtempSync(join(tmpdir(), 'partner-credit-test-'))
  test.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
