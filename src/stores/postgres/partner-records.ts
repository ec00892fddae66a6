import { Damaged } from '../../ledger/errors.ts'
import type {
  DefaultCaps,
  NamedTenants,
  Partner,
  PartnerStore,
  SettingsVersion,
  Tenant,
} from '../../partners/partner-store.ts'
import { refuseOtherMode } from '../../partners/tenant-modes.ts'
import { auditEvent, versionFaultOf } from '../audit-event.ts'
import { assertDefaultCaps } from '../damaged-row.ts'
import { partnersOf, tenantSelection } from '../partner-rows.ts'
import { partnerStatements as sql } from '../partner-statements.ts'
import { markChanged, readChangedPartners } from './changed-partners.ts'
import { appendAudit, deniedAccounts } from './audit-trail.ts'
import { arraysOf } from './batch-statements.ts'
import { asUnavailable, type Client, inTransaction, type Pool, readingTable, withClient } from './database.ts'
import { passAccounts } from './pass-accounts.ts'
import { settle, takeTurn } from './settings-turn.ts'

/**
 * What operators change, as rows: each change is one transaction with its audit row and a new settings' version. Changes may
 * wait a minute for others' locks.
 */
export function createPartnerRecords(pool: Pool, changes: Pool = pool): PartnerStore {
  return {
    partners: (partnerId) => withClient(pool, (client) => loadPartners(client, partnerId)),
    partnerIds: () =>
      withClient(pool, async (client) =>
        (await client.query(sql.selectKnownPartners)).rows.map(({ partnerId }) => partnerId),
      ),
    grantedAccounts: () =>
      withClient(pool, async (client) => (await client.query(sql.selectGrantedAccounts)).rows),
    holderOf: (keyId) =>
      withClient(pool, async (client) => (await client.query(sql.selectHolder, [keyId])).rows[0]?.partnerId),
    tenants: () => withClient(pool, (client) => loadTenants(client)),
    tenantModes: () => withClient(pool, async (client) => (await client.query(sql.selectKnownTenants)).rows),
    defaultCaps: () =>
      withClient(pool, loadDefaultCaps).catch((error) => {
        throw asUnavailable(error)
      }),

    changePartner: (partnerId, by, change, named = new Map()) =>
      inTransaction(changes, async (client) => {
        const turn = await takeTurn(client, by)
        if (named.size > 0) refuseOtherMode(await loadTenants(client), named)
        const before = (await loadPartners(client, partnerId))[0]
        const after = change(before)
        const made = await savePartner(client, after, { named, at: by.at })
        await markChanged(client, partnerId, turn)
        await appendAudit(client, [
          ...made.map((tenant) => auditEvent({ ...by, action: 'tenant create' }, undefined, tenant)),
          auditEvent(by, before, after),
        ])
        return after
      }),

    changeTenant: (tenantId, by, change) =>
      inTransaction(changes, async (client) => {
        await takeTurn(client, by)
        const [before] = await loadTenants(client, tenantId)
        const after = change(before)
        await saveTenant(client, after)
        await appendAudit(client, [auditEvent(by, before, after)])
        return after
      }),

    changeDefaultCaps: (by, change) =>
      inTransaction(changes, async (client) => {
        await takeTurn(client, by)
        const before = await loadDefaultCaps(client)
        const after = change(before)
        await saveDefaultCaps(client, after)
        await appendAudit(client, [auditEvent(by, before, after)])
        return after
      }),

    settingsVersion: async (known) => {
      const read = (client: Client) => readVersion(client, known)
      const version = await readingTable('settings_version or audit_head', () => withClient(pool, read))
      if (version === undefined) throw new Damaged(versionFaultOf(undefined)!)
      return version
    },

    changedPartners: (after, limit) =>
      withClient(pool, (client) => readChangedPartners(client, after, limit)),

    passAccounts: (accounts, onProgress = () => {}) => passAccounts(changes, accounts, { onProgress }),
    settle: () => settle(changes),
    deniedAccounts: (since) => withClient(pool, (client) => deniedAccounts(client, since)),

    putIfAbsent: (name, value) =>
      inTransaction(changes, async (client) => {
        await client.query(sql.putValueIfAbsent, [name, value])
        const { rows } = await client.query(sql.selectValue, [name])
        return rows[0].value
      }),

    hasValue: async (name) => {
      const { rows } = await pool.query(sql.selectValue, [name])
      return rows.length > 0
    },
  }
}

/** A connection that hangs is given up, and replaced, before the requests that wait for this are given up. */
const query_timeout = 1_500

/** The audit trail itself is read only after a change: somebody may hold a lock on it for long, as VACUUM FULL does. */
async function readVersion(
  client: Client,
  known: SettingsVersion | null,
): Promise<(SettingsVersion & { follows: boolean }) | undefined> {
  const selectVersion = { text: versionText, query_timeout }
  const current: SettingsVersion | undefined = (await client.query(selectVersion)).rows[0]
  if (current === undefined) return undefined
  if (known === null) return { ...current, follows: false }
  const { auditSeq, auditHash } = known
  if (current.auditSeq === auditSeq && current.auditHash === auditHash) return { ...current, follows: true }
  const selectFollows = { text: followsText, values: [auditSeq, auditHash], query_timeout }
  return { ...current, ...(await client.query(selectFollows)).rows[0] }
}

const versionText = `
  SELECT version AS number, coalesce(seq, 0) AS "auditSeq", coalesce(encode(hash, 'hex'), '') AS "auditHash"
  FROM settings_version LEFT JOIN audit_head ON true`

const followsText = `
  SELECT EXISTS (SELECT 1 FROM audit WHERE audit_seq = $1::bigint AND encode(hash, 'hex') = $2::text) AS follows`

export async function loadPartners(client: Client, partnerId: string | null = null): Promise<Partner[]> {
  const rowsOf = (table: string, select: string) =>
    readingTable(table, async () => (await client.query(select, [partnerId])).rows)
  return partnersOf(
    await rowsOf('partners', sql.selectPartners),
    await rowsOf('grants', sql.selectGrants),
    await rowsOf('keys', sql.selectKeys),
  )
}

type NewTenants = { named: NamedTenants; at: number }

/** Returns the tenants that it made. */
async function savePartner(client: Client, partner: Partner, newTenants: NewTenants): Promise<Tenant[]> {
  const { partnerId, name, status, perTx, perPartnerDay, requestsPerSecond, createdAt } = partner
  const values = [partnerId, name, status, perTx, perPartnerDay, requestsPerSecond, createdAt]
  await client.query(sql.putPartner, values)
  const made = await saveGrants(client, partner, newTenants)
  await saveKeys(client, partner)
  return made
}

/** In one statement, like the grants: a partner that rotates every day has hundreds. */
async function saveKeys(client: Client, { partnerId, keys }: Partner): Promise<void> {
  const given = arraysOf(keys, 'keyId', 'apiKeyHash', 'sealedSecret', 'createdAt', 'expiresAt', 'revokedAt')
  await client.query(
    `INSERT INTO keys (partner_id, key_id, api_key_hash, sealed_secret, created_at, expires_at, revoked_at)
     SELECT $1, given.* FROM unnest(
       $2::text[], $3::text[], $4::bytea[], $5::bigint[], $6::bigint[], $7::bigint[]) AS given
     ON CONFLICT (key_id) DO UPDATE SET expires_at = excluded.expires_at, revoked_at = excluded.revoked_at`,
    [partnerId, ...given],
  )
}

/** In a few statements, however many there are: others wait for their turn, and the database may be far away. */
async function saveGrants(
  client: Client,
  { partnerId, grants }: Partner,
  { named, at }: NewTenants,
): Promise<Tenant[]> {
  const [tenantIds, ...caps] = arraysOf(grants, 'tenantId', 'perTx', 'perPartnerDay')
  const { rows } = await client.query(
    `INSERT INTO tenants (tenant_id, mode, per_user_day, created_at)
     SELECT wanted.tenant_id, wanted.mode, NULL, $3 FROM unnest($1::text[], $2::text[]) AS wanted (tenant_id, mode)
     ON CONFLICT (tenant_id) DO NOTHING RETURNING ${tenantSelection}`,
    [tenantIds, grants.map(({ tenantId }) => named.get(tenantId) ?? 'live'), at],
  )
  await client.query(sql.deleteGrants, [partnerId])
  await client.query(
    `INSERT INTO grants (partner_id, tenant_id, per_tx, per_partner_day)
     SELECT $1, wanted.* FROM unnest($2::text[], $3::bigint[], $4::bigint[]) AS wanted`,
    [partnerId, tenantIds, ...caps],
  )
  return rows
}

export async function loadTenants(client: Client, tenantId: string | null = null): Promise<Tenant[]> {
  return readingTable('tenants', async () => (await client.query(sql.selectTenants, [tenantId])).rows)
}

async function saveTenant(client: Client, { tenantId, mode, perUserDay, createdAt }: Tenant): Promise<void> {
  await client.query(sql.putTenant, [tenantId, mode, perUserDay, createdAt])
}

export async function loadDefaultCaps(client: Client): Promise<DefaultCaps> {
  const { rows } = await readingTable('default_caps', () => client.query(sql.selectDefaultCaps))
  const row: DefaultCaps | undefined = rows[0]
  assertDefaultCaps(row)
  return row
}

export async function loadAllDefaultCaps(client: Client): Promise<DefaultCaps[]> {
  return readingTable('default_caps', async () => (await client.query(sql.selectAllDefaultCaps)).rows)
}

async function saveDefaultCaps(
  client: Client,
  { perTx, perPartnerDay, perUserDay, setAt }: DefaultCaps,
): Promise<void> {
  await client.query(sql.updateDefaultCaps, [perTx, perPartnerDay, perUserDay, setAt])
}
