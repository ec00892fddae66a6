import type { AuditRow } from '../rules/audit-hash.ts'
import type { TenantMode } from '../rules/tenant-mode.ts'
import { type CapChange, capOrigins } from './cap-origins.ts'
import type { AccountCaps, CapInForce, CapName } from './caps-in-force.ts'
import type { LedgerQueries, ShownPartner } from './ledger-queries.ts'
import { namedPartner } from './named.ts'
import { readSettings } from './settings.ts'

/** `change` is null if the audit trail does not say who set it. */
export type SetCap = CapInForce & { change: CapChange | null }

/** A tenant of a partner with the caps in force there. */
export type GrantWithCaps = ShownPartner['grants'][number] & {
  mode: TenantMode
  caps: Record<CapName, SetCap>
}

/** A partner with the caps in force in each of its tenants, and where each came from. */
export async function partnerWithCaps(
  queries: LedgerQueries,
  partnerId: string,
): Promise<Omit<ShownPartner, 'grants'> & { grants: GrantWithCaps[] }> {
  const partner = await namedPartner(queries, partnerId)
  const settings = await readSettings(queries, partner)
  const tenantIds = partner.grants.map(({ tenantId }) => tenantId)
  const subjects = [`partner ${partnerId}`, 'defaults', ...tenantIds.map((tenantId) => `tenant ${tenantId}`)]
  const rows: AuditRow[] = []
  for await (const some of queries.auditRows({ subjects })) rows.push(...some)
  const grants = partner.grants.map((grant) => {
    const { tenantId } = grant
    const { mode } = settings.tenants.get(tenantId)!
    return { ...grant, mode, caps: withChanges(rows, tenantId, settings.capsOf({ partnerId, tenantId })) }
  })
  return { ...partner, grants }
}

function withChanges(rows: AuditRow[], tenantId: string, caps: AccountCaps): Record<CapName, SetCap> {
  const { perTx, perPartnerDay, perUserDay } = caps
  const limits = { perTx: perTx.limit, perPartnerDay: perPartnerDay.limit, perUserDay: perUserDay.limit }
  // Later than every row: what is in force now is what the last of them left.
  const origins = capOrigins(rows, { tenantId }, { caps: limits, at: Number.MAX_SAFE_INTEGER })
  return {
    perTx: { ...perTx, change: origins.perTx?.change ?? null },
    perPartnerDay: { ...perPartnerDay, change: origins.perPartnerDay?.change ?? null },
    perUserDay: { ...perUserDay, change: origins.perUserDay?.change ?? null },
  }
}
