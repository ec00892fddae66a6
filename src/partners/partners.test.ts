import assert from 'node:assert/strict'
import type { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { aPartnerDatabase, aMasterKey } from '../../test/support/operators.ts'
import { aNoon } from '../../test/support/test-clock.ts'
import { openSecret } from '../access/credentials.ts'
import { allowTenant, denyTenant } from './allow-tenant.ts'
import { createKey, rotateKey } from './create-key.ts'
import { createPartner } from './create-partner.ts'
import type { Operator } from './operator.ts'
import type { Partner, Tenant } from './partner-store.ts'
import { Refused } from './refused.ts'
import { revokeKey } from './revoke-key.ts'
import { setDefaultCaps } from './set-default-caps.ts'
import { setPartnerCaps } from './set-partner-caps.ts'
import { setPartnerRate } from './set-partner-rate.ts'
import { resumePartner, suspendPartner } from './set-partner-status.ts'
import { setTenantCaps } from './set-tenant-caps.ts'

type AuditRow = {
  at: number
  actor: string
  action: string
  subject: string
  before: unknown
  after: unknown
  reason: string | null
  origin: string
  address: string | null
}

/** Where every change here comes from, and why it is made. */
const cause = { actor: 'mai', reason: 'ticket 7', origin: 'command line', address: 'desk-1' } as const

/**
 * Runs a change; gives its audit row, after checking what must hold for every change: it has that one row, before it
 * one for each tenant that it made, and no other.
 */
async function audited(
  { raw, operator }: { raw: DatabaseSync; operator: Operator },
  work: () => Promise<unknown>,
  tenantsMade: string[] = [],
): Promise<AuditRow> {
  const rowsBefore = raw.prepare('SELECT count(*) AS n FROM audit').get()!.n as number
  const versionBefore = await operator.store.settingsVersion(null)
  await work()
  const versionAfter = await operator.store.settingsVersion(versionBefore)
  assert.equal(versionAfter.number, versionBefore.number + 1, 'the version is raised by one')
  const rows = raw.prepare('SELECT * FROM audit ORDER BY audit_seq').all().slice(rowsBefore).map(readable)
  const { now } = operator
  assert.deepEqual(
    rows.slice(0, -1),
    tenantsMade.map((tenantId) => ({
      ...cause,
      at: now,
      action: 'tenant create',
      subject: `tenant ${tenantId}`,
      before: null,
      after: { tenantId, mode: 'live', perUserDay: null, createdAt: now },
    })),
  )
  return rows.at(-1)!
}

function readable(stored: Record<string, unknown>): AuditRow {
  const { audit_seq, previous_hash, hash, before, after, ...row } = stored
  assert.doesNotMatch(`${before}${after}`, /seal|secret|hash|pck_|pcs_/i, 'no secret in the audit')
  const read = (text: unknown) => (text === null ? null : JSON.parse(text as string))
  return { ...(row as Omit<AuditRow, 'before' | 'after'>), before: read(before), after: read(after) }
}

/** A partner as the audit tells of it. */
function told(partner: Partner): unknown {
  const keys = partner.keys.map(({ keyId, createdAt, expiresAt, revokedAt }) => ({
    keyId,
    createdAt,
    expiresAt,
    revokedAt,
  }))
  return { ...partner, keys }
}

async function partnerNamed(operator: Operator, id: string): Promise<Partner> {
  return (await operator.store.partners()).find(({ partnerId }) => partnerId === id)!
}

async function tenantNamed(operator: Operator, id: string): Promise<Tenant | undefined> {
  return (await operator.store.tenants()).find(({ tenantId }) => tenantId === id)
}

test('a partner is made with its tenants, its caps and a first key that opens under the master key', async (t) => {
  const database = await aPartnerDatabase(t)
  const { operator } = database
  const partner = {
    partnerId: 'initech',
    name: 'Initech ☕',
    tenants: ['t1', 't7', 't7'],
    perTx: 5,
    perPartnerDay: 0,
  }
  let issued: Awaited<ReturnType<typeof createPartner>> | undefined
  const row = await audited(database, async () => {
    issued = await createPartner(operator, partner, aMasterKey)
  }, ['t7'])
  const made = await partnerNamed(operator, 'initech')
  const { keys, ...rest } = made
  assert.deepEqual(rest, {
    partnerId: 'initech',
    name: 'Initech ☕',
    status: 'active',
    perTx: 5,
    perPartnerDay: 0,
    requestsPerSecond: null,
    createdAt: operator.now,
    grants: [
      { tenantId: 't1', perTx: null, perPartnerDay: null },
      { tenantId: 't7', perTx: null, perPartnerDay: null },
    ],
  })
  assert.equal(keys.length, 1)
  assert.equal(openSecret('initech', keys[0]!, aMasterKey), issued!.signingSecret)
  assert.deepEqual([keys[0]!.createdAt, keys[0]!.expiresAt, keys[0]!.revokedAt], [operator.now, null, null])
  assert.deepEqual(await tenantNamed(operator, 't7'), {
    tenantId: 't7',
    mode: 'live',
    perUserDay: null,
    createdAt: operator.now,
  })
  assert.deepEqual(row, {
    ...cause,
    at: operator.now,
    action: 'partner create',
    subject: 'partner initech',
    before: null,
    after: told(made),
  })
})

type Change = {
  title: string
  action: string
  work(operator: Operator, ids: { keyId: string }): Promise<unknown>
  /** What is different in acme afterwards. */
  expected(before: Partner): Partial<Partner>
  tenantsMade?: string[]
}

const now = aNoon + 1000
const changes: Change[] = [
  {
    title: 'suspend refuses the partner, and nothing else',
    action: 'partner suspend',
    work: (operator) => suspendPartner(operator, 'acme'),
    expected: () => ({ status: 'suspended' }),
  },
  {
    title: 'a cap of the partner is set; the other one stays',
    action: 'partner caps',
    work: (operator) => setPartnerCaps(operator, 'acme', { perTx: 7, perPartnerDay: undefined }, undefined),
    expected: () => ({ perTx: 7 }),
  },
  {
    title: 'a cap of the partner falls back to the default',
    action: 'partner caps',
    work: (operator) =>
      setPartnerCaps(operator, 'acme', { perTx: undefined, perPartnerDay: null }, undefined),
    expected: () => ({ perPartnerDay: null }),
  },
  {
    title: 'caps of the partner in one tenant are set; those of the other tenant and its own stay',
    action: 'partner caps',
    work: (operator) => setPartnerCaps(operator, 'acme', { perTx: 0, perPartnerDay: 2 ** 53 - 1 }, 't2'),
    expected: ({ grants }) => ({
      grants: [grants[0]!, { tenantId: 't2', perTx: 0, perPartnerDay: 2 ** 53 - 1 }],
    }),
  },
  {
    title: 'a request rate is set',
    action: 'partner rate',
    work: (operator) => setPartnerRate(operator, 'acme', 50),
    expected: () => ({ requestsPerSecond: 50 }),
  },
  {
    title: 'a tenant is allowed, and made where it did not exist',
    action: 'partner allow',
    work: (operator) => allowTenant(operator, 'acme', 't3'),
    tenantsMade: ['t3'],
    expected: ({ grants }) => ({ grants: [...grants, { tenantId: 't3', perTx: null, perPartnerDay: null }] }),
  },
  {
    title: 'a tenant is denied; the others stay',
    action: 'partner deny',
    work: (operator) => denyTenant(operator, 'acme', 't1'),
    expected: ({ grants }) => ({ grants: grants.slice(1) }),
  },
  {
    title: 'a key is revoked from now on',
    action: 'key revoke',
    work: (operator, { keyId }) => revokeKey(operator, keyId),
    expected: ({ keys }) => ({ keys: [{ ...keys[0]!, revokedAt: now }] }),
  },
]
for (const { title, action, work, expected, tenantsMade } of changes) {
  test(`${title}; one audit row with before and after, and a new version`, async (t) => {
    const database = await aPartnerDatabase(t)
    const { operator, acme } = database
    const before = await partnerNamed(operator, 'acme')
    const globex = await partnerNamed(operator, 'globex')
    const row = await audited(database, () => work(operator, acme), tenantsMade)
    const after = await partnerNamed(operator, 'acme')
    assert.deepEqual(after, { ...before, ...expected(before) })
    assert.deepEqual(await partnerNamed(operator, 'globex'), globex)
    assert.deepEqual(row, {
      ...cause,
      at: now,
      action,
      subject: 'partner acme',
      before: told(before),
      after: told(after),
    })
  })
}

test('the default caps are set; those that are not given stay; one audit row and a new version', async (t) => {
  const database = await aPartnerDatabase(t)
  const { operator } = database
  const before = await operator.store.defaultCaps()
  assert.deepEqual(before, { perTx: 10_000, perPartnerDay: 1_000_000, perUserDay: 20_000, setAt: null })
  const row = await audited(database, () => setDefaultCaps(operator, { perTx: 7, perUserDay: 0 }))
  const after = { perTx: 7, perPartnerDay: 1_000_000, perUserDay: 0, setAt: now }
  assert.deepEqual(await operator.store.defaultCaps(), after)
  assert.deepEqual(row, { ...cause, at: now, action: 'defaults caps', subject: 'defaults', before, after })
})

test('resume undoes suspend', async (t) => {
  const database = await aPartnerDatabase(t)
  const before = await partnerNamed(database.operator, 'acme')
  await suspendPartner(database.operator, 'acme')
  const row = await audited(database, () => resumePartner(database.operator, 'acme'))
  assert.deepEqual(await partnerNamed(database.operator, 'acme'), before)
  assert.equal(row.action, 'partner resume')
})

test('a request rate is taken away again', async (t) => {
  const { operator } = await aPartnerDatabase(t)
  await setPartnerRate(operator, 'acme', 50)
  assert.equal((await setPartnerRate(operator, 'acme', null)).requestsPerSecond, null)
})

test('allowing a tenant twice changes nothing of the grant, its caps included', async (t) => {
  const { operator } = await aPartnerDatabase(t)
  await setPartnerCaps(operator, 'acme', { perTx: 3, perPartnerDay: 4 }, 't2')
  const before = await partnerNamed(operator, 'acme')
  await allowTenant(operator, 'acme', 't2')
  assert.deepEqual(await partnerNamed(operator, 'acme'), before)
})

test('a tenant denied and allowed again has no caps of its own any more', async (t) => {
  const { operator } = await aPartnerDatabase(t)
  await setPartnerCaps(operator, 'acme', { perTx: 3, perPartnerDay: 4 }, 't2')
  await denyTenant(operator, 'acme', 't2')
  const { grants } = await allowTenant(operator, 'acme', 't2')
  assert.deepEqual(grants.at(-1), { tenantId: 't2', perTx: null, perPartnerDay: null })
})

test('one more key leaves the first as it was', async (t) => {
  const database = await aPartnerDatabase(t)
  const { operator } = database
  const before = await partnerNamed(operator, 'acme')
  let issued: Awaited<ReturnType<typeof createKey>> | undefined
  const row = await audited(database, async () => {
    issued = await createKey(operator, 'acme', aMasterKey)
  })
  const after = await partnerNamed(operator, 'acme')
  assert.deepEqual(after.keys[0], before.keys[0])
  assert.equal(after.keys.length, 2)
  assert.equal(after.keys[1]!.keyId, issued!.keyId)
  assert.equal(openSecret('acme', after.keys[1]!, aMasterKey), issued!.signingSecret)
  assert.deepEqual([row.action, row.before, row.after], ['key create', told(before), told(after)])
})

test('a rotation makes a key and lets the others end after the overlap, none later than it would have', async (t) => {
  const database = await aPartnerDatabase(t)
  const { operator } = database
  await rotateKey(operator, 'acme', 1000, aMasterKey)
  await createKey(operator, 'acme', aMasterKey)
  let issued: Awaited<ReturnType<typeof rotateKey>> | undefined
  const row = await audited(database, async () => {
    issued = await rotateKey({ ...operator, now: now + 1 }, 'acme', 5000, aMasterKey)
  })
  const { keys } = await partnerNamed(operator, 'acme')
  assert.equal(keys.length, 4)
  const ends = keys.map(({ keyId, expiresAt }) => (keyId === issued!.keyId ? 'new' : expiresAt))
  assert.equal(ends[0], now + 1000)
  assert.deepEqual(ends.slice(1), [now + 5001, now + 5001, 'new'])
  assert.equal(keys.find(({ keyId }) => keyId === issued!.keyId)!.expiresAt, null)
  assert.equal(row.action, 'key rotate')
})

test('a key that was revoked before is refused with its date, nothing is written, and no other key is touched', async (t) => {
  const { operator, acme, dump } = await aPartnerDatabase(t)
  const second = await createKey(operator, 'acme', aMasterKey)
  const { partnerId, key } = await revokeKey(operator, acme.keyId)
  assert.deepEqual([partnerId, key.revokedAt], ['acme', now])
  const before = dump()
  await assert.rejects(revokeKey({ ...operator, now: now + 99 }, acme.keyId), {
    constructor: Refused,
    message: `the key "${acme.keyId}" was already revoked at ${new Date(now).toISOString()}`,
  })
  assert.deepEqual(dump(), before)
  const { keys } = await partnerNamed(operator, 'acme')
  assert.equal(keys.find(({ keyId }) => keyId === second.keyId)!.revokedAt, null)
})

test('the cap of a tenant is set and taken away, each with its audit row and a new version', async (t) => {
  const database = await aPartnerDatabase(t)
  const { operator } = database
  const before = (await tenantNamed(operator, 't1'))!
  const set = await audited(database, () => setTenantCaps(operator, 't1', 500))
  const after = { ...before, perUserDay: 500 }
  assert.deepEqual(await tenantNamed(operator, 't1'), after)
  assert.deepEqual(set, {
    ...cause,
    at: now,
    action: 'tenant caps',
    subject: 'tenant t1',
    before,
    after,
  })
  await audited(database, () => setTenantCaps(operator, 't1', null))
  assert.deepEqual(await tenantNamed(operator, 't1'), before)
  assert.equal((await tenantNamed(operator, 't2'))!.perUserDay, null)
})

test('allowing a tenant that has a cap does not touch the cap', async (t) => {
  const { operator } = await aPartnerDatabase(t)
  await setTenantCaps(operator, 't2', 500)
  await allowTenant(operator, 'globex', 't2')
  assert.equal((await tenantNamed(operator, 't2'))!.perUserDay, 500)
})
