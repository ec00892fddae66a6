import type { Tenant } from '../partners/partner-store.ts'
import type { AccountId } from '../rules/cursor.ts'
import { isSandbox } from '../rules/tenant-mode.ts'
import { type AccountCaps, accountCaps } from './caps-in-force.ts'
import type { LedgerQueries, ShownPartner } from './ledger-queries.ts'

/** What operators have set, for questions about several accounts. */
export type Settings = {
  tenants: ReadonlyMap<string, Tenant>
  isSandbox(tenantId: string): boolean
  /** Null: there is no such partner, or it was not read. */
  nameOf(partnerId: string): string | null
  /** The ids of all sandbox tenants. */
  sandboxes: readonly string[]
  /** A tenant that was withdrawn from the partner has the caps that it would have without caps of its own. */
  capsOf(account: AccountId): AccountCaps
}

/** Of all partners, or only of this one. */
export async function readSettings(
  queries: Pick<LedgerQueries, 'partners' | 'tenants' | 'defaultCaps'>,
  only: ShownPartner | null = null,
): Promise<Settings> {
  const all = only === null ? await queries.partners() : [only]
  const partners = new Map(all.map((partner) => [partner.partnerId, partner]))
  const tenants = new Map((await queries.tenants()).map((tenant) => [tenant.tenantId, tenant]))
  const defaults = await queries.defaultCaps()
  return {
    tenants,
    nameOf: (partnerId) => partners.get(partnerId)?.name ?? null,
    sandboxes: [...tenants.values()].filter(isSandbox).map(({ tenantId }) => tenantId),
    isSandbox(tenantId) {
      const tenant = tenants.get(tenantId)
      return tenant !== undefined && isSandbox(tenant)
    },
    capsOf({ partnerId, tenantId }) {
      const partner = partners.get(partnerId)
      const grant = partner?.grants.find((one) => one.tenantId === tenantId)
      return accountCaps({
        grant: grant ?? notSet,
        partner: partner ?? notSet,
        tenant: tenants.get(tenantId) ?? notSet,
        defaults,
      })
    },
  }
}

const notSet = { perTx: null, perPartnerDay: null, perUserDay: null }
