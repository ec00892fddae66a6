import type { Grant, Key, Tenant } from '../partners/partner-store.ts'
import { type Setting, settingOf } from './audit-event.ts'
import { type Owned, type PartnerRow, partnersOf } from './partner-rows.ts'

/**
 * Partners and tenants in the layout that the audit chain was brought to. Written out, because a migration must read the
 * columns of its own time and not those of today.
 */
export const settingsBeforeChain = {
  partners: `
    SELECT partner_id AS "partnerId", name, status, per_tx AS "perTx", per_partner_day AS "perPartnerDay",
           requests_per_second AS "requestsPerSecond", created_at AS "createdAt"
    FROM partners ORDER BY partner_id`,
  grants: `
    SELECT partner_id AS "partnerId", tenant_id AS "tenantId", per_tx AS "perTx", per_partner_day AS "perPartnerDay"
    FROM grants ORDER BY partner_id, tenant_id`,
  keys: `
    SELECT partner_id AS "partnerId", key_id AS "keyId", created_at AS "createdAt", expires_at AS "expiresAt",
           revoked_at AS "revokedAt"
    FROM keys ORDER BY created_at, key_id`,
  tenants: `
    SELECT tenant_id AS "tenantId", per_user_day AS "perUserDay", created_at AS "createdAt"
    FROM tenants ORDER BY tenant_id`,
}

export type RowsBeforeChain = {
  partners: PartnerRow[]
  grants: Owned<Grant>[]
  keys: Owned<Key>[]
  tenants: Omit<Tenant, 'mode'>[]
}

export function settingsOf({ partners, grants, keys, tenants }: RowsBeforeChain): Setting[] {
  return [...tenants, ...partnersOf(partners, grants, keys)].map(settingOf)
}
