import type {
  DefaultCaps,
  Grant,
  Key,
  NamedTenants,
  Partner,
  PartnerStore,
  SettingsVersion,
  Tenant,
} from '../../partners/partner-store.ts'
import { refuseOtherMode } from '../../partners/tenant-modes.ts'
import type { AccountId } from '../../rules/cursor.ts'
import { auditEvent } from '../audit-event.ts'
import { assertDefaultCaps } from '../damaged-row.ts'
import { type Owned, type PartnerRow, partnersOf } from '../partner-rows.ts'
import { partnerStatements as sql } from '../partner-statements.ts'
import { markChanged, readChangedPartners } from './changed-partners.ts'
import { appendAudit } from './audit-trail.ts'
import type { Database } from './database.ts'
import { prepareNumbered } from './numbered-parameters.ts'
import { inTurn } from './settings-turn.ts'
import { readable } from './stored-values.ts'

/** What operators change, as rows: each change is one transaction with its audit row and a new settings' version. */
export function createPartnerRecords(database: Database): PartnerStore {
  return {
    partners: async (partnerId) => loadPartners(database, partnerId),
    partnerIds: async () =>
      prepareNumbered(database, sql.selectKnownPartners)
        .all()
        .map(({ partnerId }) => partnerId as string),
    grantedAccounts: async () => prepareNumbered(database, sql.selectGrantedAccounts).all() as AccountId[],
    holderOf: async (keyId) =>
      prepareNumbered(database, sql.selectHolder).get(keyId)?.partnerId as string | undefined,
    tenants: async () => loadTenants(database),
    tenantModes: async () => loadTenantModes(database),
    defaultCaps: async () => loadDefaultCaps(database),

    changePartner: async (partnerId, by, change, named = new Map()) =>
      inTurn(database, by, (version) => {
        if (named.size > 0) refuseOtherMode(loadTenants(database), named)
        const before = loadPartners(database, partnerId)[0]
        const after = change(before)
        const made = savePartner(database, after, { named, at: by.at })
        markChanged(database, partnerId, version)
        appendAudit(database, [
          ...made.map((tenant) => auditEvent({ ...by, action: 'tenant create' }, undefined, tenant)),
          auditEvent(by, before, after),
        ])
        return after
      }),

    changeTenant: async (tenantId, by, change) =>
      inTurn(database, by, () => {
        const before = loadTenants(database, tenantId)[0]
        const after = change(before)
        saveTenant(database, after)
        appendAudit(database, [auditEvent(by, before, after)])
        return after
      }),

    changeDefaultCaps: async (by, change) =>
      inTurn(database, by, () => {
        const before = loadDefaultCaps(database)
        const after = change(before)
        saveDefaultCaps(database, after)
        appendAudit(database, [auditEvent(by, before, after)])
        return after
      }),

    settingsVersion: async (known) => readVersion(database, known),

    changedPartners: async (after, limit) => readChangedPartners(database, after, limit),

    // Writers take turns: a change is committed between two awards, and the next one reads it.
    passAccounts: async () => [],
    settle: async () => {}, // a commit is durable when it returns
    deniedAccounts: async () => [],

    async putIfAbsent(name, value) {
      prepareNumbered(database, sql.putValueIfAbsent).run(name, value)
      return prepareNumbered(database, sql.selectValue).get(name)!.value as Uint8Array
    },

    hasValue: async (name) => prepareNumbered(database, sql.selectValue).get(name) !== undefined,
  }
}

function readVersion(
  database: Database,
  known: SettingsVersion | null,
): SettingsVersion & { follows: boolean } {
  const select = database.prepare(`
      SELECT version AS number, coalesce(seq, 0) AS auditSeq, coalesce(hex(hash), '') AS auditHash,
        EXISTS (SELECT 1 FROM audit WHERE audit_seq = ? AND hex(hash) = ?) AS follows
      FROM settings_version LEFT JOIN audit_head ON true`)
  const row = readable(
    () => select.get(known?.auditSeq ?? null, known?.auditHash ?? null),
    'settings_version or audit_head',
  ) as SettingsVersion & { follows: number }
  return { ...row, follows: row.follows === 1 }
}

export function loadPartners(database: Database, partnerId: string | null = null): Partner[] {
  const rowsOf = <T>(table: string, select: string) =>
    readable(() => prepareNumbered(database, select).all(partnerId) as T[], table)
  return partnersOf(
    rowsOf<PartnerRow>('partners', sql.selectPartners),
    rowsOf<Owned<Grant>>('grants', sql.selectGrants),
    rowsOf<Owned<Key>>('keys', sql.selectKeys),
  )
}

/** Returns the tenants that it made. */
function savePartner(
  database: Database,
  partner: Partner,
  { named, at }: { named: NamedTenants; at: number },
): Tenant[] {
  const { partnerId, name, status, perTx, perPartnerDay, requestsPerSecond, createdAt } = partner
  const values = [partnerId, name, status, perTx, perPartnerDay, requestsPerSecond, createdAt]
  prepareNumbered(database, sql.putPartner).run(...values)
  prepareNumbered(database, sql.deleteGrants).run(partnerId)
  const made: Tenant[] = []
  const makeTenant = database.prepare(
    'INSERT INTO tenants (tenant_id, mode, per_user_day, created_at) VALUES (?, ?, NULL, ?) ON CONFLICT DO NOTHING',
  )
  const putGrant = database.prepare(
    'INSERT INTO grants (partner_id, tenant_id, per_tx, per_partner_day) VALUES (?, ?, ?, ?)',
  )
  for (const grant of partner.grants) {
    const mode = named.get(grant.tenantId) ?? 'live'
    const { changes } = makeTenant.run(grant.tenantId, mode, at)
    if (changes === 1) made.push({ tenantId: grant.tenantId, mode, perUserDay: null, createdAt: at })
    putGrant.run(partnerId, grant.tenantId, grant.perTx, grant.perPartnerDay)
  }

  const putKey = prepareNumbered(database, sql.putKey)
  for (const { keyId, apiKeyHash, sealedSecret, createdAt, expiresAt, revokedAt } of partner.keys) {
    putKey.run(keyId, partnerId, apiKeyHash, sealedSecret, createdAt, expiresAt, revokedAt)
  }
  return made
}

export function loadTenants(database: Database, tenantId: string | null = null): Tenant[] {
  const rows = readable(() => prepareNumbered(database, sql.selectTenants).all(tenantId), 'tenants')
  return (rows as Tenant[]).map((tenant) => ({ ...tenant }))
}

export function loadTenantModes(database: Database): Pick<Tenant, 'tenantId' | 'mode'>[] {
  return prepareNumbered(database, sql.selectKnownTenants).all() as Tenant[]
}

function saveTenant(database: Database, { tenantId, mode, perUserDay, createdAt }: Tenant): void {
  prepareNumbered(database, sql.putTenant).run(tenantId, mode, perUserDay, createdAt)
}

export function loadDefaultCaps(database: Database): DefaultCaps {
  const row = readable(
    () => prepareNumbered(database, sql.selectDefaultCaps).get() as DefaultCaps | undefined,
    'default_caps',
  )
  assertDefaultCaps(row)
  return { ...row }
}

export function loadAllDefaultCaps(database: Database): DefaultCaps[] {
  const rows = readable(() => prepareNumbered(database, sql.selectAllDefaultCaps).all(), 'default_caps')
  return rows as DefaultCaps[]
}

function saveDefaultCaps(database: Database, { perTx, perPartnerDay, perUserDay, setAt }: DefaultCaps): void {
  prepareNumbered(database, sql.updateDefaultCaps).run(perTx, perPartnerDay, perUserDay, setAt)
}
