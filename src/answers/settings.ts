import { Refused } from '../partners/refused.ts'
import type { AccountId } from '../rules/cursor.ts'
import { isSandbox } from '../rules/tenant-mode.ts'
import { type AccountCaps, accountCaps, type CapInForce } from './caps-in-force.ts'
import type { KnownTenant, LedgerQueries, ShownPartner } from './ledger-queries.ts'

/** What operators have set, for questions about several accounts. */
export type Settings = {
  /** How many were read. */
  partners: number
  tenants: ReadonlyMap<string, KnownTenant>
  isSandbox(tenantId: string): boolean
  /** Null: there is no such partner, or it was not read. */
  nameOf(partnerId: string): string | null
  /** The ids of all sandbox tenants. */
  sandboxes: readonly string[]
  /** That the row of the partner or of the tenant is damaged, so that nobody knows the caps; null: it is not. */
  damageOf(account: AccountId): string | null
  /**
   * A tenant that was withdrawn from the partner has the caps that it would have without caps of its own. Throws if
   * nobody knows them.
   */
  capsOf(account: AccountId): AccountCaps
  /** The same for all partners; null: the tenant's row is damaged. */
  perUserDayOf(tenantId: string): CapInForce | null
}

/** Of all partners, or only of this one. */
export async function readSettings(
  queries: Pick<LedgerQueries, 'partners' | 'tenants' | 'defaultCaps'>,
  only: ShownPartner | null = null,
): Promise<Settings> {
  const partners = only === null ? await queries.partners() : { sound: [only], damaged: [] }
  const tenants = await queries.tenants()
  const [partnerOf, tenantOf] = [byId(partners.sound, 'partnerId'), byId(tenants.sound, 'tenantId')]
  const [badPartner, badTenant] = [byId(partners.damaged, 'partnerId'), byId(tenants.damaged, 'tenantId')]
  const allTenants = byId<KnownTenant>([...tenants.sound, ...tenants.damaged], 'tenantId')
  const defaults = await queries.defaultCaps()
  function damageOf({ partnerId, tenantId }: AccountId): string | null {
    const [partner, tenant] = [badPartner.get(partnerId), badTenant.get(tenantId)]
    if (partner !== undefined) return `the partner "${partnerId}" is damaged: ${partner.problem}`
    return tenant === undefined ? null : `the tenant "${tenantId}" is damaged: ${tenant.problem}`
  }
  return {
    partners: partners.sound.length + partners.damaged.length,
    tenants: allTenants,
    nameOf: (partnerId) => (partnerOf.get(partnerId) ?? badPartner.get(partnerId))?.name ?? null,
    sandboxes: [...allTenants.values()].filter(isSandbox).map(({ tenantId }) => tenantId),
    isSandbox(tenantId) {
      const tenant = allTenants.get(tenantId)
      return tenant !== undefined && isSandbox(tenant)
    },
    damageOf,
    capsOf({ partnerId, tenantId }) {
      const damage = damageOf({ partnerId, tenantId })
      if (damage !== null) throw new Refused(damage)
      const partner = partnerOf.get(partnerId)
      const grant = partner?.grants.find((one) => one.tenantId === tenantId)
      return accountCaps({
        grant: grant ?? notSet,
        partner: partner ?? notSet,
        tenant: tenantOf.get(tenantId) ?? notSet,
        defaults,
      })
    },
    perUserDayOf(tenantId) {
      if (badTenant.has(tenantId)) return null
      const tenant = tenantOf.get(tenantId) ?? notSet
      return accountCaps({ grant: notSet, partner: notSet, tenant, defaults }).perUserDay
    },
  }
}

function byId<Row>(rows: Row[], id: keyof Row): Map<string, Row> {
  return new Map(rows.map((row) => [row[id] as string, row]))
}

const notSet = { perTx: null, perPartnerDay: null, perUserDay: null }
