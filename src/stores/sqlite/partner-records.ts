import type { Grant, Key, Partner, PartnerStore, Tenant } from '../../partners/partner-store.ts'
import { columns } from '../columns.ts'
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
  function rowsOf<T>(table: string, list: string, order: string): T[] {
    const sql = `SELECT ${list} FROM ${table} WHERE partner_id = coalesce(?, partner_id) ORDER BY ${order}`
    return database.prepare(sql).all(partnerId) as T[]
  }
  const partners = rowsOf<Omit<Partner, 'grants' | 'keys'>>(
    'partners',
    columns<Partner>(
      'partnerId',
      'name',
      'status',
      'perTx',
      'perPartnerDay',
      'requestsPerSecond',
      'createdAt',
    ),
    'partner_id',
  )
  const grants = rowsOf<Owned<Grant>>(
    'grants',
    columns<Owned<Grant>>('partnerId', 'tenantId', 'perTx', 'perPartnerDay'),
    'tenant_id',
  )
  const keys = rowsOf<Owned<Key>>(
    'keys',
    columns<Owned<Key>>(
      'partnerId',
      'keyId',
      'apiKeyHash',
      'sealedSecret',
      'createdAt',
      'expiresAt',
      'revokedAt',
    ),
    'created_at, key_id',
  )
  const grantsOf = Map.groupBy(grants, (grant) => grant.partnerId)
  const keysOf = Map.groupBy(keys, (key) => key.partnerId)
  return partners.map((partner) => ({
    ...partner,
    grants: (grantsOf.get(partner.partnerId) ?? []).map(disowned),
    keys: (keysOf.get(partner.partnerId) ?? []).map(disowned),
  }))
}

/** A row that names the partner it belongs to; in the partner itself that goes without saying. */
type Owned<T> = T & { partnerId: string }

function disowned<T>({ partnerId: _, ...rest }: Owned<T>) {
  return rest as unknown as T
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
  const sql = `SELECT ${columns<Tenant>('tenantId', 'perUserDay', 'createdAt')} FROM tenants ORDER BY tenant_id`
  return (database.prepare(sql).all() as Tenant[]).map((tenant) => ({ ...tenant }))
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
