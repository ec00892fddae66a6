import assert from 'node:assert/strict'
import { type Caps, capsInForce, isCap } from '../rules/caps.ts'
import type { Facts } from '../rules/decide.ts'
import { noDefaultCaps } from './damaged-row.ts'

/** What an operator set for a partner in a tenant, as both stores read it inside the crediting transaction. */
export type GrantRow = {
  status: 'active' | 'suspended'
  grantPerTx: number | null
  grantPerPartnerDay: number | null
  perTx: number | null
  perPartnerDay: number | null
  perUserDay: number | null
  /** Null, as the other defaults, if default_caps has lost its row. */
  defaultPerTx: number | null
  defaultPerPartnerDay: number | null
  defaultPerUserDay: number | null
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
    } as Caps,
  })
  // With no cap, everything would fit.
  if (!(isCap(caps.perTx) && isCap(caps.perPartnerDay) && isCap(caps.perUserDay))) {
    assert(row.defaultPerTx === null, 'a stored cap is not a cap')
    throw noDefaultCaps() // the row is not there
  }
  return { suspended: status === 'suspended', caps }
}
