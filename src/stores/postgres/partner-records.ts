import type { DefaultCaps, Partner, PartnerStore, Tenant } from '../../partners/partner-store.ts'
import { auditEvent, versionIsMissing } from '../audit-event.ts'
import {
  defaultCapsSelection,
  grantSelection,
  keySelection,
  partnerSelection,
  partnersOf,
  tenantSelection,
} from '../partner-rows.ts'
import { markChanged, readChangedPartners } from './changed-partners.ts'
import { appendAudit, deniedAccounts } from './audit-trail.ts'
import { arraysOf } from './batch-statements.ts'
import { type Client, inTransaction, type Pool, withClient } from './database.ts'
import { passAccounts } from './pass-accounts.ts'
import { settingsChannel } from './settings-watch.ts'

/** What operators change, as rows: each change is one transaction with its audit row and a new settings' version. */
export function createPartnerRecords(pool: Pool): PartnerStore {
  return {
    partners: () => withClient(pool, (client) => loadPartners(client)),
    tenants: () => withClient(pool, loadTenants),
    defaultCaps: () => withClient(pool, loadDefaultCaps),

    changePartner: (partnerId, by, change) =>
      inTransaction(pool, async (client) => {
        const turn = await takeTurn(client)
        const before = (await loadPartners(client, partnerId))[0]
        const after = change(before)
        const made = await savePartner(client, after, by.at)
        await markChanged(client, partnerId, turn)
        await appendAudit(client, [
          ...made.map((tenant) => auditEvent({ ...by, action: 'tenant create' }, undefined, tenant)),
          auditEvent(by, before, after),
        ])
        return after
      }),

    changeTenant: (tenantId, by, change) =>
      inTransaction(pool, async (client) => {
        await takeTurn(client)
        const before = (await loadTenants(client)).find((tenant) => tenant.tenantId === tenantId)
        const after = change(before)
        await saveTenant(client, after)
        await appendAudit(client, [auditEvent(by, before, after)])
        return after
      }),

    changeDefaultCaps: (by, change) =>
      inTransaction(pool, async (client) => {
        await takeTurn(client)
        const before = await loadDefaultCaps(client)
        const after = change(before)
        await saveDefaultCaps(client, after)
        await appendAudit(client, [auditEvent(by, before, after)])
        return after
      }),

    settingsVersion: async (known) => {
      const values = [known?.auditSeq ?? null, known?.auditHash ?? null]
      const { rows } = await withClient(pool, (client) => client.query({ ...readVersion, values }))
      return rows[0]
    },

    changedPartners: (after, limit) =>
      withClient(pool, (client) => readChangedPartners(client, after, limit)),

    passAccounts: (accounts, onProgress = () => {}) => passAccounts(pool, accounts, { onProgress }),
    deniedAccounts: (since) => withClient(pool, (client) => deniedAccounts(client, since)),

    keepsake: (name, value) =>
      inTransaction(pool, async (client) => {
        const put = 'INSERT INTO keepsakes (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING'
        await client.query(put, [name, value])
        const { rows } = await client.query('SELECT value FROM keepsakes WHERE name = $1', [name])
        return rows[0].value
      }),

    hasKeepsake: async (name) => {
      const { rows } = await pool.query('SELECT 1 FROM keepsakes WHERE name = $1', [name])
      return rows.length > 0
    },
  }
}

/** Asked four times a second: a connection that stands still is given up in time for a revoked key to be noticed. */
const readVersion = {
  text: `
    SELECT version AS number, coalesce(seq, 0) AS "auditSeq", coalesce(encode(hash, 'hex'), '') AS "auditHash",
      EXISTS (SELECT 1 FROM audit WHERE audit_seq = $1::bigint AND encode(hash, 'hex') = $2::text) AS follows
    FROM settings_version LEFT JOIN audit_head ON true`,
  query_timeout: 700,
}

/**
 * Operators change settings one after the other: whoever holds this row's lock reads the latest state. The notice
 * goes out with the commit. Gives the number of the turn.
 */
async function takeTurn(client: Client): Promise<number> {
  const raise = 'UPDATE settings_version SET version = version + 1 WHERE only_row = 1 RETURNING version'
  const { rows } = await client.query(raise)
  if (rows.length !== 1) throw new Error(versionIsMissing)
  await client.query(`NOTIFY ${settingsChannel}`)
  return rows[0].version
}

export async function loadPartners(client: Client, partnerId: string | null = null): Promise<Partner[]> {
  const rowsOf = async (selection: string, table: string, order: string) => {
    const text = `SELECT ${selection} FROM ${table} WHERE $1::text IS NULL OR partner_id = $1 ORDER BY ${order}`
    return (await client.query(text, [partnerId])).rows
  }
  return partnersOf(
    await rowsOf(partnerSelection, 'partners', 'partner_id'),
    await rowsOf(grantSelection, 'grants', 'tenant_id'),
    await rowsOf(keySelection, 'keys', 'created_at, key_id'),
  )
}

/** Gives the tenants that it made. */
async function savePartner(client: Client, partner: Partner, at: number): Promise<Tenant[]> {
  const { partnerId, name, status, perTx, perPartnerDay, requestsPerSecond, createdAt } = partner
  await client.query(
    `INSERT INTO partners (partner_id, name, status, per_tx, per_partner_day, requests_per_second, created_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7)
     ON CONFLICT (partner_id) DO UPDATE SET name = excluded.name, status = excluded.status,
       per_tx = excluded.per_tx, per_partner_day = excluded.per_partner_day,
       requests_per_second = excluded.requests_per_second`,
    [partnerId, name, status, perTx, perPartnerDay, requestsPerSecond, createdAt],
  )
  const made = await saveGrants(client, partner, at)
  for (const { keyId, apiKeyHash, sealedSecret, createdAt, expiresAt, revokedAt } of partner.keys) {
    await client.query(
      `INSERT INTO keys (key_id, partner_id, api_key_hash, sealed_secret, created_at, expires_at, revoked_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)
       ON CONFLICT (key_id) DO UPDATE SET expires_at = excluded.expires_at, revoked_at = excluded.revoked_at`,
      [keyId, partnerId, apiKeyHash, sealedSecret, createdAt, expiresAt, revokedAt],
    )
  }
  return made
}

/** In a few statements, however many there are: others wait for their turn, and the database may be far away. */
async function saveGrants(client: Client, { partnerId, grants }: Partner, at: number): Promise<Tenant[]> {
  const [tenantIds, ...caps] = arraysOf(grants, 'tenantId', 'perTx', 'perPartnerDay')
  const { rows } = await client.query(
    `INSERT INTO tenants (tenant_id, per_user_day, created_at)
     SELECT wanted.tenant_id, NULL, $2 FROM unnest($1::text[]) AS wanted (tenant_id)
     ON CONFLICT (tenant_id) DO NOTHING RETURNING tenant_id AS "tenantId"`,
    [tenantIds, at],
  )
  await client.query('DELETE FROM grants WHERE partner_id = $1', [partnerId])
  await client.query(
    `INSERT INTO grants (partner_id, tenant_id, per_tx, per_partner_day)
     SELECT $1, wanted.* FROM unnest($2::text[], $3::bigint[], $4::bigint[]) AS wanted`,
    [partnerId, tenantIds, ...caps],
  )
  return rows.map(({ tenantId }) => ({ tenantId, perUserDay: null, createdAt: at }))
}

export async function loadTenants(client: Client): Promise<Tenant[]> {
  return (await client.query(`SELECT ${tenantSelection} FROM tenants ORDER BY tenant_id`)).rows
}

async function saveTenant(client: Client, { tenantId, perUserDay, createdAt }: Tenant): Promise<void> {
  await client.query(
    `INSERT INTO tenants (tenant_id, per_user_day, created_at) VALUES ($1, $2, $3)
     ON CONFLICT (tenant_id) DO UPDATE SET per_user_day = excluded.per_user_day`,
    [tenantId, perUserDay, createdAt],
  )
}

async function loadDefaultCaps(client: Client): Promise<DefaultCaps> {
  const { rows } = await client.query(`SELECT ${defaultCapsSelection} FROM default_caps WHERE only_row = 1`)
  return rows[0]
}

/** Whatever rows somebody may have put beside the one that holds. */
export async function loadAllDefaultCaps(client: Client): Promise<DefaultCaps[]> {
  return (await client.query(`SELECT ${defaultCapsSelection} FROM default_caps`)).rows
}

async function saveDefaultCaps(
  client: Client,
  { perTx, perPartnerDay, perUserDay, setAt }: DefaultCaps,
): Promise<void> {
  await client.query(
    `UPDATE default_caps SET per_tx = $1, per_partner_day = $2, per_user_day = $3, set_at = $4 WHERE only_row = 1`,
    [perTx, perPartnerDay, perUserDay, setAt],
  )
}
