import assert from 'node:assert/strict'
import { capsInForce, isCap } from '../rules/caps.ts'
import type { Facts } from '../rules/decide.ts'

/** What an operator set for a partner in a tenant, as both stores read it inside the crediting transaction. */
export type GrantRow = {
  status: 'active' | 'suspended'
  grantPerTx: number | null
  grantPerPartnerDay: number | null
  perTx: number | null
  perPartnerDay: number | null
  perUserDay: number | null
  defaultPerTx: number
  defaultPerPartnerDay: number
  defaultPerUserDay: number
}

const defaultCap = (column: string) => `(SELECT ${column} FROM default_caps WHERE only_row = 1)`

/** The defaults are looked up once for the whole statement, not for each grant. */
export const grantSelection = `
  partners.status, grants.per_tx AS "grantPerTx", grants.per_partner_day AS "grantPerPartnerDay",
  partners.per_tx AS "perTx", partners.per_partner_day AS "perPartnerDay", tenants.per_user_day AS "perUserDay",
  ${defaultCap('per_tx')} AS "defaultPerTx", ${defaultCap('per_partner_day')} AS "defaultPerPartnerDay",
  ${defaultCap('per_user_day')} AS "defaultPerUserDay"
  FROM grants JOIN partners USING (partner_id) JOIN tenants USING (tenant_id)`

/** No row: the tenant is not among the partner's. */
export function grantOf(row: GrantRow | undefined): Facts['grant'] {
  if (row === undefined) return null
  const { status, grantPerTx, grantPerPartnerDay, perTx, perPartnerDay, perUserDay } = row
  const caps = capsInForce({
    grant: { perTx: grantPerTx, perPartnerDay: grantPerPartnerDay },
    partner: { perTx, perPartnerDay },
    tenant: { perUserDay },
    defaults: {
      perTx: row.defaultPerTx,
      perPartnerDay: row.defaultPerPartnerDay,
      perUserDay: row.defaultPerUserDay,
    },
  })
  // Without its row there is no cap, and with no cap everything would fit.
  assert(isCap(caps.perTx) && isCap(caps.perPartnerDay) && isCap(caps.perUserDay), 'a default cap is missing')
  return { suspended: status === 'suspended', caps }
}
