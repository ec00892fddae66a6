import { mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import pino from 'pino'
import { type Config, readConfig } from '../../src/config.ts'
import type { LedgerSnapshot } from '../../src/proof/ledger-snapshot.ts'
import { verifyLedger, type Verification } from '../../src/proof/verify.ts'
import { createPartner } from '../../src/partners/create-partner.ts'
import type { Operator } from '../../src/partners/operator.ts'
import { serve } from '../../src/serve.ts'
import { openStore } from '../../src/stores/open.ts'
import type { Store } from '../../src/stores/store.ts'
import { createClient, type Client } from './client.ts'
import { type FreshDatabase, freshDatabase } from './fresh-database.ts'
import { scratchFolder } from './scratch-folder.ts'
import { soon } from './soon.ts'
import { createTestClock, type TestClock } from './test-clock.ts'

/** How many nodes share the database: NODES=3 sends every request to the next of three. */
const nodeCount = Number(process.env.NODES ?? 1)

/** A real service on a real database of its own, with a clock that the test moves. */
export type TestService = {
  url: string
  /** One for each node. */
  urls: string[]
  operatorUrl: string
  /** One for each node. */
  operatorUrls: string[]
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
  /** Every node writes its journal and looks for alerts, now: one after the other, or all at once. */
  lookNow(how?: { atOnce: boolean }): Promise<void>
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
  {
    nodes: count = nodeCount,
    database: given,
    ...options
  }: { nodes?: number; database?: FreshDatabase; journalEveryMs?: number } = {},
): Promise<TestService> {
  const database = given ?? (await freshDatabase())
  const config = readConfig({
    PORT: '0',
    OPERATOR_PORT: '0',
    DATABASE_URL: database.url,
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    ...environment,
  })
  const clock = createTestClock()
  async function withStore<T>(work: (store: Store) => Promise<T>): Promise<T> {
    const store = await soon(() => openStore(config.database))
    try {
      return await work(store)
    } finally {
      await store.close()
    }
  }
  const operate: TestService['operate'] = (work) =>
    withStore((store) => work({ store: store.partners, actor: 'test', now: clock.now() }))
  // Opened once: some tests look at the whole ledger hundreds of times.
  let reader: Promise<Store> | null = null
  async function atOneInstant<T>(read: (snapshot: LedgerSnapshot) => Promise<T>): Promise<T> {
    reader ??= soon(() => openStore(config.database))
    const store = await reader
    const snapshot = await soon(() => store.snapshot())
    try {
      return await read(snapshot)
    } finally {
      await snapshot.close()
    }
  }
  const partner = (operator: Operator, partnerId: string, tenants: string[]) =>
    createPartner(
      operator,
      { partnerId, name: partnerId, tenants, perTx: null, perPartnerDay: null },
      config.masterKey!,
    )
  const [acmeKey, globexKey] = await operate(async (operator) => [
    await partner(operator, 'acme', ['t1', 't2']),
    await partner(operator, 'globex', ['t1']),
  ])

  const log: string[] = []
  const nodes = await Promise.all(
    Array.from({ length: count }, () =>
      soon(() =>
        serve(config, {
          ...options,
          clock,
          log: pino({ base: null }, { write: (line) => void log.push(line) }),
        }),
      ),
    ),
  )
  const stop = async () => {
    await Promise.all(nodes.map((node) => node.stop()))
  }
  test.after(async () => {
    await stop()
    await (await reader?.catch(() => null))?.close()
    await database.remove()
  })
  const urls = nodes.map(({ partnerUrl }) => partnerUrl)
  return {
    url: urls[0]!,
    urls,
    operatorUrl: nodes[0]!.operatorUrl,
    operatorUrls: nodes.map((node) => node.operatorUrl),
    config,
    clock,
    acme: createClient(urls, acmeKey, clock),
    globex: createClient(urls, globexKey, clock),
    log,
    operate,
    async lookNow({ atOnce } = { atOnce: false }) {
      if (atOnce) await Promise.all(nodes.map((node) => node.lookNow()))
      else for (const node of nodes) await node.lookNow()
    },
    verify: () => atOneInstant((snapshot) => verifyLedger(snapshot, () => {})),
    dump: () => atOneInstant(dumpOf),
    stop,
  }
}

async function dumpOf(snapshot: LedgerSnapshot): Promise<string> {
  const rows: unknown[] = []
  for (const chunks of [snapshot.entries(), snapshot.accounts(), snapshot.userDays()]) {
    rows.push(await Array.fromAsync<unknown>(chunks))
  }
  return JSON.stringify(rows, null, 1)
}

export function temporaryFolder(test: Lifetime): string {
  const folder = mkdtempSync(join(scratchFolder(), 'partner-credit-test-'))
  // Hooks run in the order in which they were added, and the servers that write here are ended by later ones.
  // So the removal is added when they are all known. A process that is just ending may still write once more.
  test.after(() => test.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })))
  return folder
}
