import type { Change, Grant, Key, Partner, PartnerStore, Tenant } from '../../partners/partner-store.ts'
import {
  auditText,
  grantSelection,
  keySelection,
  type Owned,
  type PartnerRow,
  partnerSelection,
  partnersOf,
  tenantSelection,
} from '../partner-rows.ts'
import { markChanged, readChangedPartners } from './changed-partners.ts'
import { type Database, inTransaction } from './database.ts'

/** What operators change, as rows: each change is one transaction with its audit row and a new settings' version. */
export function createPartnerRecords(database: Database): PartnerStore {
  return {
    partners: async () => loadPartners(database),
    tenants: async () => loadTenants(database),

    changePartner: async (partnerId, by, change) =>
      inTransaction(database, () => {
        const before = loadPartners(database, partnerId)[0]
        const after = change(before)
        savePartner(database, after, by.at)
        recordChange(database, by, `partner ${partnerId}`, before, after)
        markChanged(database, partnerId)
        return after
      }),

    changeTenant: async (tenantId, by, change) =>
      inTransaction(database, () => {
        const before = loadTenants(database).find((tenant) => tenant.tenantId === tenantId)
        const after = change(before)
        saveTenant(database, after)
        recordChange(database, by, `tenant ${tenantId}`, before, after)
        return after
      }),

    settingsVersion: async () =>
      database.prepare('SELECT version FROM settings_version').get()!.version as number,

    changedPartners: async (after, limit) => readChangedPartners(database, after, limit),

    async keepsake(name, value) {
      database
        .prepare('INSERT INTO keepsakes (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING')
        .run(name, value)
      return database.prepare('SELECT value FROM keepsakes WHERE name = ?').get(name)!.value as Uint8Array
    },

    hasKeepsake: async (name) =>
      database.prepare('SELECT 1 FROM keepsakes WHERE name = ?').get(name) !== undefined,
  }
}

function loadPartners(database: Database, partnerId: string | null = null): Partner[] {
  function rowsOf<T>(selection: string, table: string, order: string): T[] {
    const sql = `SELECT ${selection} FROM ${table} WHERE partner_id = coalesce(?, partner_id) ORDER BY ${order}`
    return database.prepare(sql).all(partnerId) as T[]
  }
  return partnersOf(
    rowsOf<PartnerRow>(partnerSelection, 'partners', 'partner_id'),
    rowsOf<Owned<Grant>>(grantSelection, 'grants', 'tenant_id'),
    rowsOf<Owned<Key>>(keySelection, 'keys', 'created_at, key_id'),
  )
}

function savePartner(database: Database, partner: Partner, at: number): void {
  const { partnerId, name, status, perTx, perPartnerDay, requestsPerSecond, createdAt } = partner
  database
    .prepare(`
      INSERT INTO partners (partner_id, name, status, per_tx, per_partner_day, requests_per_second, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET name = excluded.name, status = excluded.status, per_tx = excluded.per_tx,
        per_partner_day = excluded.per_partner_day, requests_per_second = excluded.requests_per_second`)
    .run(partnerId, name, status, perTx, perPartnerDay, requestsPerSecond, createdAt)

  database.prepare('DELETE FROM grants WHERE partner_id = ?').run(partnerId)
  const makeTenant = database.prepare(
    'INSERT INTO tenants (tenant_id, per_user_day, created_at) VALUES (?, NULL, ?) ON CONFLICT DO NOTHING',
  )
  const putGrant = database.prepare(
    'INSERT INTO grants (partner_id, tenant_id, per_tx, per_partner_day) VALUES (?, ?, ?, ?)',
  )
  for (const grant of partner.grants) {
    makeTenant.run(grant.tenantId, at)
    putGrant.run(partnerId, grant.tenantId, grant.perTx, grant.perPartnerDay)
  }

  const putKey = database.prepare(`
    INSERT INTO keys (key_id, partner_id, api_key_hash, sealed_secret, created_at, expires_at, revoked_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (key_id) DO UPDATE SET expires_at = excluded.expires_at, revoked_at = excluded.revoked_at`)
  for (const { keyId, apiKeyHash, sealedSecret, createdAt, expiresAt, revokedAt } of partner.keys) {
    putKey.run(keyId, partnerId, apiKeyHash, sealedSecret, createdAt, expiresAt, revokedAt)
  }
}

function loadTenants(database: Database): Tenant[] {
  const rows = database.prepare(`SELECT ${tenantSelection} FROM tenants ORDER BY tenant_id`).all()
  return (rows as Tenant[]).map((tenant) => ({ ...tenant }))
}

function saveTenant(database: Database, { tenantId, perUserDay, createdAt }: Tenant): void {
  database
    .prepare(`
      INSERT INTO tenants (tenant_id, per_user_day, created_at) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET per_user_day = excluded.per_user_day`)
    .run(tenantId, perUserDay, createdAt)
}

function recordChange<T extends Partner | Tenant>(
  database: Database,
  { actor, action, at }: Change,
  subject: string,
  before: T | undefined,
  after: T,
): void {
  database
    .prepare('INSERT INTO audit (at, actor, action, subject, before, after) VALUES (?, ?, ?, ?, ?, ?)')
    .run(at, actor, action, subject, auditText(before), auditText(after))
  database.exec('UPDATE settings_version SET version = version + 1')
}
