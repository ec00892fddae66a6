import { changeTerms, type Operator } from './operator.ts'
import type { Partner } from './partner-store.ts'
import { Refused } from './refused.ts'

/** Undefined keeps a cap; null removes it, so that the wider one applies. */
type CapChange = { perTx: number | null | undefined; perPartnerDay: number | null | undefined }

/** Sets the partner's caps or, with a tenant, those that override them there. */
export function setPartnerCaps(
  operator: Operator,
  partnerId: string,
  caps: CapChange,
  tenantId: string | undefined,
): Promise<Partner> {
  return changeTerms(operator, partnerId, 'partner caps', (before) => {
    if (tenantId === undefined) return { ...before, ...changed(before, caps) }
    if (!before.grants.some((grant) => grant.tenantId === tenantId)) {
      throw new Refused(`"${partnerId}" may not use the tenant "${tenantId}": partner allow comes first`)
    }
    const grants = before.grants.map((grant) =>
      grant.tenantId === tenantId ? { ...grant, ...changed(grant, caps) } : grant,
    )
    return { ...before, grants }
  })
}

function changed(before: { perTx: number | null; perPartnerDay: number | null }, caps: CapChange) {
  return {
    perTx: caps.perTx === undefined ? before.perTx : caps.perTx,
    perPartnerDay: caps.perPartnerDay === undefined ? before.perPartnerDay : caps.perPartnerDay,
  }
}
