import type {
  DefaultCaps,
  Grant,
  Key,
  Partner,
  PartnerStore,
  SettingsVersion,
  Tenant,
} from '../../partners/partner-store.ts'
import type { AuditEvent } from '../../rules/audit-hash.ts'
import { auditEvent, versionIsMissing } from '../audit-event.ts'
import {
  defaultCapsSelection,
  grantSelection,
  keySelection,
  type Owned,
  type PartnerRow,
  partnerSelection,
  partnersOf,
  tenantSelection,
} from '../partner-rows.ts'
import { markChanged, readChangedPartners } from './changed-partners.ts'
import { appendAudit } from './audit-trail.ts'
import { type Database, inTransaction } from './database.ts'

/** What operators change, as rows: each change is one transaction with its audit row and a new settings' version. */
export function createPartnerRecords(database: Database): PartnerStore {
  return {
    partners: async () => loadPartners(database),
    tenants: async () => loadTenants(database),
    defaultCaps: async () => loadDefaultCaps(database),

    changePartner: async (partnerId, by, change) =>
      inTransaction(database, () => {
        const before = loadPartners(database, partnerId)[0]
        const after = change(before)
        const made = savePartner(database, after, by.at)
        recordChange(database, [
          ...made.map((tenant) => auditEvent({ ...by, action: 'tenant create' }, undefined, tenant)),
          auditEvent(by, before, after),
        ])
        markChanged(database, partnerId)
        return after
      }),

    changeTenant: async (tenantId, by, change) =>
      inTransaction(database, () => {
        const before = loadTenants(database).find((tenant) => tenant.tenantId === tenantId)
        const after = change(before)
        saveTenant(database, after)
        recordChange(database, [auditEvent(by, before, after)])
        return after
      }),

    changeDefaultCaps: async (by, change) =>
      inTransaction(database, () => {
        const before = loadDefaultCaps(database)
        const after = change(before)
        saveDefaultCaps(database, after)
        recordChange(database, [auditEvent(by, before, after)])
        return after
      }),

    settingsVersion: async (known) => readVersion(database, known),

    changedPartners: async (after, limit) => readChangedPartners(database, after, limit),

    // Writers take turns: a change is committed between two awards, and the next one reads it.
    passAccounts: async () => [],
    deniedAccounts: async () => [],

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

function readVersion(
  database: Database,
  known: SettingsVersion | null,
): SettingsVersion & { follows: boolean } {
  const row = database
    .prepare(`
      SELECT version AS number, coalesce(seq, 0) AS auditSeq, coalesce(hex(hash), '') AS auditHash,
        EXISTS (SELECT 1 FROM audit WHERE audit_seq = ? AND hex(hash) = ?) AS follows
      FROM settings_version LEFT JOIN audit_head ON true`)
    .get(known?.auditSeq ?? null, known?.auditHash ?? null) as SettingsVersion & { follows: number }
  return { ...row, follows: row.follows === 1 }
}

export function loadPartners(database: Database, partnerId: string | null = null): Partner[] {
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

/** Gives the tenants that it made. */
function savePartner(database: Database, partner: Partner, at: number): Tenant[] {
  const { partnerId, name, status, perTx, perPartnerDay, requestsPerSecond, createdAt } = partner
  database
    .prepare(`
      INSERT INTO partners (partner_id, name, status, per_tx, per_partner_day, requests_per_second, created_at)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET name = excluded.name, status = excluded.status, per_tx = excluded.per_tx,
        per_partner_day = excluded.per_partner_day, requests_per_second = excluded.requests_per_second`)
    .run(partnerId, name, status, perTx, perPartnerDay, requestsPerSecond, createdAt)

  database.prepare('DELETE FROM grants WHERE partner_id = ?').run(partnerId)
  const made: Tenant[] = []
  const makeTenant = database.prepare(
    'INSERT INTO tenants (tenant_id, per_user_day, created_at) VALUES (?, NULL, ?) ON CONFLICT DO NOTHING',
  )
  const putGrant = database.prepare(
    'INSERT INTO grants (partner_id, tenant_id, per_tx, per_partner_day) VALUES (?, ?, ?, ?)',
  )
  for (const grant of partner.grants) {
    const { changes } = makeTenant.run(grant.tenantId, at)
    if (changes === 1) made.push({ tenantId: grant.tenantId, perUserDay: null, createdAt: at })
    putGrant.run(partnerId, grant.tenantId, grant.perTx, grant.perPartnerDay)
  }

  const putKey = database.prepare(`
    INSERT INTO keys (key_id, partner_id, api_key_hash, sealed_secret, created_at, expires_at, revoked_at)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT (key_id) DO UPDATE SET expires_at = excluded.expires_at, revoked_at = excluded.revoked_at`)
  for (const { keyId, apiKeyHash, sealedSecret, createdAt, expiresAt, revokedAt } of partner.keys) {
    putKey.run(keyId, partnerId, apiKeyHash, sealedSecret, createdAt, expiresAt, revokedAt)
  }
  return made
}

export function loadTenants(database: Database): Tenant[] {
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

function loadDefaultCaps(database: Database): DefaultCaps {
  const row = database.prepare(`SELECT ${defaultCapsSelection} FROM default_caps WHERE only_row = 1`).get()
  return { ...(row as DefaultCaps) }
}

/** Whatever rows somebody may have put beside the one that holds. */
export function loadAllDefaultCaps(database: Database): DefaultCaps[] {
  return database.prepare(`SELECT ${defaultCapsSelection} FROM default_caps`).all() as DefaultCaps[]
}

function saveDefaultCaps(database: Database, { perTx, perPartnerDay, perUserDay, setAt }: DefaultCaps): void {
  database
    .prepare(
      'UPDATE default_caps SET per_tx = ?, per_partner_day = ?, per_user_day = ?, set_at = ? WHERE only_row = 1',
    )
    .run(perTx, perPartnerDay, perUserDay, setAt)
}

function recordChange(database: Database, events: AuditEvent[]): void {
  appendAudit(database, events)
  const { changes } = database
    .prepare('UPDATE settings_version SET version = version + 1 WHERE only_row = 1')
    .run()
  if (changes !== 1) throw new Error(versionIsMissing)
}
