import { auditColumns, changesMax } from './audit-event.ts'
import {
  changedPartnerSelection,
  defaultCapsSelection,
  grantSelection,
  keySelection,
  knownPartnerSelection,
  knownTenantSelection,
  partnerSelection,
  tenantSelection,
} from './partner-rows.ts'

/** One partner's rows, or with null those of all partners. The same for tenants. */
const ofPartner = 'WHERE partner_id = coalesce($1, partner_id)'
const ofTenant = 'WHERE tenant_id = coalesce($1, tenant_id)'

/**
 * The statements about partners and settings that both stores run. Parameters are numbered as PostgreSQL does it; for
 * SQLite, `prepareNumbered` rewrites them. What only one store can say (arrays, notifications) is in its own files.
 */
export const partnerStatements = {
  selectPartners: `SELECT ${partnerSelection} FROM partners ${ofPartner} ORDER BY partner_id`,
  selectKnownPartners: `SELECT ${knownPartnerSelection} FROM partners ORDER BY partner_id`,
  selectGrants: `SELECT ${grantSelection} FROM grants ${ofPartner} ORDER BY tenant_id`,
  selectGrantedAccounts: 'SELECT partner_id AS "partnerId", tenant_id AS "tenantId" FROM grants',
  selectKeys: `SELECT ${keySelection} FROM keys ${ofPartner} ORDER BY created_at, key_id`,
  selectHolder: 'SELECT partner_id AS "partnerId" FROM keys WHERE key_id = $1',
  putPartner: `
    INSERT INTO partners (partner_id, name, status, per_tx, per_partner_day, requests_per_second, created_at,
      changed_in)
    VALUES ($1, $2, $3, $4, $5, $6, $7, 0)
    ON CONFLICT (partner_id) DO UPDATE SET name = excluded.name, status = excluded.status, per_tx = excluded.per_tx,
      per_partner_day = excluded.per_partner_day, requests_per_second = excluded.requests_per_second`,
  deleteGrants: 'DELETE FROM grants WHERE partner_id = $1',
  putKey: `
    INSERT INTO keys (key_id, partner_id, api_key_hash, sealed_secret, created_at, expires_at, revoked_at)
    VALUES ($1, $2, $3, $4, $5, $6, $7)
    ON CONFLICT (key_id) DO UPDATE SET expires_at = excluded.expires_at, revoked_at = excluded.revoked_at`,

  selectTenants: `SELECT ${tenantSelection} FROM tenants ${ofTenant} ORDER BY tenant_id`,
  selectKnownTenants: `SELECT ${knownTenantSelection} FROM tenants ORDER BY tenant_id`,
  putTenant: `
    INSERT INTO tenants (tenant_id, mode, per_user_day, created_at) VALUES ($1, $2, $3, $4)
    ON CONFLICT (tenant_id) DO UPDATE SET per_user_day = excluded.per_user_day`,

  selectDefaultCaps: `SELECT ${defaultCapsSelection} FROM default_caps WHERE only_row = 1`,
  /** Rows that the service does not use may have been added by SQL; `verify` has to see them. Without its own, there are none. */
  selectAllDefaultCaps: `
    SELECT ${defaultCapsSelection} FROM default_caps WHERE EXISTS (SELECT 1 FROM default_caps WHERE only_row = 1)`,
  updateDefaultCaps: `
    UPDATE default_caps SET per_tx = $1, per_partner_day = $2, per_user_day = $3, set_at = $4 WHERE only_row = 1`,

  raiseSettingsVersion: `
    UPDATE settings_version SET version = version + 1 WHERE only_row = 1 AND version < ${changesMax} RETURNING version`,
  /** As text, because it may be damaged. */
  selectSettingsVersion: 'SELECT CAST(version AS text) AS version FROM settings_version WHERE only_row = 1',
  markPartnerChanged: 'UPDATE partners SET changed_in = $2 WHERE partner_id = $1',
  selectChangedPartners: `
    SELECT ${changedPartnerSelection} FROM partners WHERE (changed_in, partner_id) > ($1, $2)
    ORDER BY changed_in, partner_id LIMIT $3`,

  putValueIfAbsent: 'INSERT INTO keepsakes (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING',
  selectValue: 'SELECT value FROM keepsakes WHERE name = $1',

  selectAuditHead: 'SELECT seq, hash FROM audit_head WHERE only_row = 1',
  selectHeadToAppend: `
    SELECT seq, hash, NOT EXISTS (SELECT 1 FROM audit WHERE audit_seq > audit_head.seq) AS "isLast"
    FROM audit_head WHERE only_row = 1`,
  updateAuditHead: 'UPDATE audit_head SET seq = $1, hash = $2 WHERE only_row = 1',
  insertAuditRow: `
    INSERT INTO audit (${auditColumns.join(', ')})
    VALUES (${auditColumns.map((_, index) => `$${index + 1}`).join(', ')})`,
}
