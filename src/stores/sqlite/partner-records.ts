import type { Grant, Key, Partner, PartnerStore, Tenant } from '../../partners/partner-store.ts'
import { type Database, inTransaction, type Row } from './database.ts'

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
        recordChange(database, by, `partner ${partnerId}`, withoutSecrets(before), withoutSecrets(after))
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

    keepsake: async (name, value) =>
      inTransaction(database, () => {
        database
          .prepare('INSERT INTO keepsakes (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING')
          .run(name, value)
        return database.prepare('SELECT value FROM keepsakes WHERE name = ?').get(name)!.value as Uint8Array
      }),
  }
}

function loadPartners(database: Database, partnerId: string | null = null): Partner[] {
  const rowsOf = (table: string, order: string) => {
    const sql = `SELECT * FROM ${table} WHERE partner_id = coalesce(?, partner_id) ORDER BY ${order}`
    return Map.groupBy(database.prepare(sql).all(partnerId), (row) => row.partner_id as string)
  }
  const partners = rowsOf('partners', 'partner_id')
  const grants = rowsOf('grants', 'tenant_id')
  const keys = rowsOf('keys', 'created_at, key_id')
  return [...partners].map(([id, [row]]) => ({
    partnerId: id,
    name: row!.name as string,
    status: row!.status as Partner['status'],
    perTx: row!.per_tx as number | null,
    perPartnerDay: row!.per_partner_day as number | null,
    requestsPerSecond: row!.requests_per_second as number | null,
    createdAt: row!.created_at as number,
    grants: (grants.get(id) ?? []).map(grantFromRow),
    keys: (keys.get(id) ?? []).map(keyFromRow),
  }))
}

function grantFromRow(row: Row): Grant {
  return {
    tenantId: row.tenant_id as string,
    perTx: row.per_tx as number | null,
    perPartnerDay: row.per_partner_day as number | null,
  }
}

function keyFromRow(row: Row): Key {
  return {
    keyId: row.key_id as string,
    apiKeyHash: row.api_key_hash as string,
    sealedSecret: row.sealed_secret as Uint8Array,
    createdAt: row.created_at as number,
    expiresAt: row.expires_at as number | null,
    revokedAt: row.revoked_at as number | null,
  }
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
  return database
    .prepare('SELECT tenant_id, per_user_day, created_at FROM tenants ORDER BY tenant_id')
    .all()
    .map((row) => ({
      tenantId: row.tenant_id as string,
      perUserDay: row.per_user_day as number | null,
      createdAt: row.created_at as number,
    }))
}

function saveTenant(database: Database, { tenantId, perUserDay, createdAt }: Tenant): void {
  database
    .prepare(`
      INSERT INTO tenants (tenant_id, per_user_day, created_at) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET per_user_day = excluded.per_user_day`)
    .run(tenantId, perUserDay, createdAt)
}

function recordChange(
  database: Database,
  { actor, action, at }: { actor: string; action: string; at: number },
  subject: string,
  before: unknown,
  after: unknown,
): void {
  database
    .prepare('INSERT INTO audit (at, actor, action, subject, before, after) VALUES (?, ?, ?, ?, ?, ?)')
    .run(
      at,
      actor,
      action,
      subject,
      before === undefined ? null : JSON.stringify(before),
      JSON.stringify(after),
    )
  database.exec('UPDATE settings_version SET version = version + 1')
}

function withoutSecrets(partner: Partner | undefined): unknown {
  if (partner === undefined) return undefined
  const keys = partner.keys.map(({ keyId, createdAt, expiresAt, revokedAt }) => ({
    keyId,
    createdAt,
    expiresAt,
    revokedAt,
  }))
  return { ...partner, keys }
}
