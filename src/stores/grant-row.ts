import { type Caps, capsInForce } from '../rules/caps.ts'
import type { Facts } from '../rules/decide.ts'

/** What an operator set for a partner in a tenant, as both stores read it inside the crediting transaction. */
export type GrantRow = {
  status: 'active' | 'suspended'
  grantPerTx: number | null
  grantPerPartnerDay: number | null
  perTx: number | null
  perPartnerDay: number | null
  perUserDay: number | null
}

export const grantSelection = `
  partners.status, grants.per_tx AS "grantPerTx", grants.per_partner_day AS "grantPerPartnerDay",
  partners.per_tx AS "perTx", partners.per_partner_day AS "perPartnerDay", tenants.per_user_day AS "perUserDay"
  FROM grants JOIN partners USING (partner_id) JOIN tenants USING (tenant_id)`

/** No row: the tenant is not among the partner's. */
export function grantOf(row: GrantRow | undefined, defaults: Caps): Facts['grant'] {
  if (row === undefined) return null
  const { status, grantPerTx, grantPerPartnerDay, perTx, perPartnerDay, perUserDay } = row
  const caps = capsInForce({
    grant: { perTx: grantPerTx, perPartnerDay: grantPerPartnerDay },
    partner: { perTx, perPartnerDay },
    tenant: { perUserDay },
    defaults,
  })
  return { suspended: status === 'suspended', caps }
}
