import { readConfig } from '../../src/config.ts'
import { verifyLedger } from '../../src/proof/verify.ts'
import { createPartner } from '../../src/partners/create-partner.ts'
import { openStore } from '../../src/stores/open.ts'
import { type FreshDatabase, freshDatabase } from '../support/fresh-database.ts'
import type { LedgerAtTheEnd } from './checker.ts'

export type PartnerKey = { partnerId: string; tenants: string[]; apiKey: string; signingSecret: string }

/** What a scenario runs on: its own database with some partners, and the settings for servers on it. */
export type Stage = {
  database: FreshDatabase
  /** For any number of servers. */
  environment: Record<string, string>
  partners: PartnerKey[]
  /** The whole ledger, and whether `verify` finds it sound. */
  atTheEnd(): Promise<LedgerAtTheEnd>
}

export type PartnerPlan = { partnerId: string; tenants?: string[]; perPartnerDay?: number }

const masterKey = Buffer.alloc(32, 7)
/** Two partners that share a tenant; the second reaches its cap. */
const usualPartners: PartnerPlan[] = [
  { partnerId: 'acme', tenants: ['t1', 't2'] },
  { partnerId: 'globex', tenants: ['t1'], perPartnerDay: 2_000 },
]

export async function setStage(
  kind: 'sqlite' | 'postgres' | FreshDatabase,
  { partners: plans = usualPartners }: { partners?: PartnerPlan[] | undefined } = {},
): Promise<Stage> {
  const database = typeof kind === 'string' ? await freshDatabase(kind) : kind
  const environment = {
    DATABASE_URL: database.url,
    MASTER_KEY: masterKey.toString('base64'),
    CAP_PER_USER_DAY: '1000000000',
  }
  const config = readConfig(environment)
  const store = await openStore(config.database)
  const partners: PartnerKey[] = []
  for (const { partnerId, tenants = ['t1'], perPartnerDay = 1_000_000_000 } of plans) {
    const key = await createPartner(
      { store: store.partners, actor: 'chaos', now: Date.now() },
      { partnerId, name: partnerId, tenants, perTx: null, perPartnerDay },
      masterKey,
    )
    partners.push({ partnerId, tenants, apiKey: key.apiKey, signingSecret: key.signingSecret })
  }
  await store.close()

  async function atTheEnd(): Promise<LedgerAtTheEnd> {
    const ledger = await openStore(config.database)
    const snapshot = await ledger.snapshot()
    try {
      const entries = (await Array.fromAsync(snapshot.entries())).flat()
      const { sound, fault } = await verifyLedger(snapshot, () => {})
      return { entries, sound, fault }
    } finally {
      await snapshot.close()
      await ledger.close()
    }
  }
  return { database, environment, partners, atTheEnd }
}
