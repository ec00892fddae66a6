import pino from 'pino'
import { openKeyDirectory } from '../../src/access/key-directory.ts'
import { systemClock } from '../../src/clock.ts'
import { createPartnerListener } from '../../src/http/app.ts'
import type { GroupCommitLimits } from '../../src/ledger/group-commit.ts'
import { verifyLedger, type Verification } from '../../src/proof/verify.ts'
import { createPartner } from '../../src/partners/create-partner.ts'
import { createOperatorListener } from '../../src/operator/app.ts'
import { shareReadiness } from '../../src/wire/readiness.ts'
import { openPostgres, servePostgres } from '../../src/stores/postgres/open.ts'
import { type Client, createClient } from './client.ts'
import { noAddressLimit } from './no-address-limit.ts'
import type { Lifetime } from './service.ts'
import { soon } from './soon.ts'

type SmallNode = {
  url: string
  operatorUrl: string
  acme: Client
  /** The same partner at another node. */
  acmeAt(node: { url: string }): Client
  verify(): Promise<Verification>
}

/** A node with real time, limits short enough for a test, and its own partner. */
export async function startSmallNode(
  test: Lifetime,
  databaseUrl: string,
  { answerMaxMs, ...limits }: Partial<GroupCommitLimits> & { answerMaxMs: number },
  { partnerId = 'acme', tenants = ['t1'] } = {},
): Promise<SmallNode> {
  const cleanup = new AsyncDisposableStack()
  test.after(() => cleanup.disposeAsync())
  const caps = { perTx: 100, perPartnerDay: 1_000_000, perUserDay: 1_000_000 }
  const clock = systemClock
  const store = await soon(() =>
    servePostgres(databaseUrl, { caps, clock, warn: () => {}, answerMaxMs, limits }),
  )
  cleanup.defer(() => store.close())
  // Not by the node, which gives the database no time.
  const operators = await openPostgres(databaseUrl)
  const acmeKey = await createPartner(
    { store: operators.partners, actor: 'test', now: clock.now() },
    { partnerId, name: partnerId, tenants, perTx: null, perPartnerDay: null },
    Buffer.alloc(32, 7),
  )
  await operators.close()
  const keys = await soon(() => openKeyDirectory(store.partners, Buffer.alloc(32, 7), () => {}))
  cleanup.defer(() => keys.close())
  const { ledger } = store
  cleanup.defer(() => ledger.close())
  const log = pino({ enabled: false })
  const ready = shareReadiness(() => ledger.ready(), clock)
  const listener = createPartnerListener({
    ledger,
    keys,
    clock,
    clockWindowMs: 300_000,
    log,
    ready,
    addressLimit: noAddressLimit,
  })
  const url = await listener.listen({ host: '127.0.0.1', port: 0 })
  cleanup.defer(() => listener.drain())
  const operatorListener = createOperatorListener({ log, ready, addressLimit: noAddressLimit })
  const operatorUrl = await operatorListener.listen({ host: '127.0.0.1', port: 0 })
  cleanup.defer(() => operatorListener.drain())
  return {
    url,
    operatorUrl,
    acme: createClient(url, acmeKey, clock),
    acmeAt: (node) => createClient(node.url, acmeKey, clock),
    async verify() {
      const snapshot = await store.snapshot()
      try {
        return await verifyLedger(snapshot, () => {})
      } finally {
        await snapshot.close()
      }
    },
  }
}
