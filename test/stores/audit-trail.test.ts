import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setDefaultCaps } from '../../src/partners/set-default-caps.ts'
import { setPartnerCaps } from '../../src/partners/set-partner-caps.ts'
import { resumePartner, suspendPartner } from '../../src/partners/set-partner-status.ts'
import { setTenantCaps } from '../../src/partners/set-tenant-caps.ts'
import { type AuditRow, auditHash } from '../../src/rules/audit-hash.ts'
import { openSnapshot } from '../../src/stores/open.ts'
import { storeKind } from '../support/fresh-database.ts'
import { aStoreLedger, type StoreLedger } from '../support/store-ledger.ts'

async function auditRowsOf({ database }: StoreLedger): Promise<AuditRow[]> {
  const snapshot = await openSnapshot(database)
  try {
    return (await Array.fromAsync(snapshot.auditRows())).flat()
  } finally {
    await snapshot.close()
  }
}

/** Removes the triggers that keep the trail append-only, as an insider would, and restores them afterwards. */
async function unlocked({ raw }: StoreLedger, work: () => Promise<void>): Promise<void> {
  if (storeKind === 'postgres') {
    await raw.run('ALTER TABLE audit DISABLE TRIGGER ALL')
    await work()
    return raw.run('ALTER TABLE audit ENABLE TRIGGER ALL')
  }
  const triggers = await raw.rows(
    "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = 'audit'",
  )
  assert.equal(triggers.length, 2)
  for (const { name } of triggers) await raw.run(`DROP TRIGGER ${name}`)
  await work()
  for (const { sql } of triggers) await raw.run(String(sql))
}

test('rows are numbered from 1 without a gap, in the order of the changes, each with its reason and origin', async (t) => {
  const ledger = await aStoreLedger(t)
  const operator = {
    ...ledger.operator,
    reason: 'ticket 7',
    origin: 'command line' as const,
    address: 'desk-1',
  }
  await suspendPartner(operator, 'acme')
  await assert.rejects(suspendPartner(operator, 'nobody'))
  await resumePartner({ ...operator, reason: null }, 'acme')
  const rows = await auditRowsOf(ledger)
  assert.deepEqual(
    rows.map(({ auditSeq, action, subject, reason, origin, address }) =>
      [auditSeq, action, subject, reason, origin, address].join(),
    ),
    [
      '1,defaults seed,defaults,,service,',
      '2,tenant create,tenant t1,,service,',
      '3,tenant create,tenant t2,,service,',
      '4,partner create,partner acme,,service,',
      '5,partner create,partner globex,,service,',
      '6,partner suspend,partner acme,ticket 7,command line,desk-1',
      '7,partner resume,partner acme,,command line,desk-1',
    ],
  )
})

test('SQL cannot change, remove or replace a row', async (t) => {
  const { raw } = await aStoreLedger(t)
  const before = await raw.rows('SELECT * FROM audit ORDER BY audit_seq')
  await assert.rejects(raw.run("UPDATE audit SET actor = 'nobody'"), /append-only/)
  await assert.rejects(raw.run('DELETE FROM audit WHERE audit_seq = 5'), /append-only/)
  if (storeKind === 'postgres') await assert.rejects(raw.run('TRUNCATE audit'), /append-only/)
  assert.deepEqual(await raw.rows('SELECT * FROM audit ORDER BY audit_seq'), before)
})

test('a trail without what keeps it append-only is not sound', async (t) => {
  const { raw, verify } = await aStoreLedger(t)
  await raw.run(
    storeKind === 'postgres'
      ? 'ALTER TABLE audit DISABLE TRIGGER audit_is_never_changed'
      : 'DROP TRIGGER audit_is_never_changed',
  )
  assert.match((await verify()).fault!, /^the trigger audit_is_never_changed is (missing|disabled)/)
})

/** What someone with full SQL access can do, and what verify reports. */
const edits: [what: string, sql: string, fault: RegExp][] = [
  [
    'an edited row',
    "UPDATE audit SET actor = 'nobody' WHERE audit_seq = 6",
    /^audit #6: its hash does not match$/,
  ],
  ['an edited reason', "UPDATE audit SET reason = 'because' WHERE audit_seq = 6", /^audit #6: its hash/],
  [
    'an edited state',
    "UPDATE audit SET after = replace(after, '7', '8') WHERE audit_seq = 7",
    /^audit #7: its hash/,
  ],
  ['a removed row', 'DELETE FROM audit WHERE audit_seq = 3', /^audit #4: follows #2$/],
  [
    'a trail without its end',
    'DELETE FROM audit WHERE audit_seq >= 8',
    /^the audit trail ends at #7, but its head is #8$/,
  ],
  [
    'an edited head',
    'UPDATE audit_head SET seq = 7',
    /^the head of the audit trail is not its last row, #8$/,
  ],
  ['a head that is gone', 'DELETE FROM audit_head', /^the audit trail has no head$/],
  [
    'a cap lifted',
    "UPDATE partners SET per_tx = 9999 WHERE partner_id = 'acme'",
    /^partner acme was changed without an audit row$/,
  ],
  [
    'a suspension lifted',
    "UPDATE partners SET status = 'active' WHERE partner_id = 'globex'",
    /^partner globex was changed/,
  ],
  [
    'a tenant allowed',
    "INSERT INTO grants VALUES ('globex', 't2', NULL, NULL)",
    /^partner globex was changed/,
  ],
  [
    'a tenant’s cap lifted',
    "UPDATE tenants SET per_user_day = NULL WHERE tenant_id = 't1'",
    /^tenant t1 was changed/,
  ],
  [
    'a key brought back',
    "UPDATE keys SET expires_at = 5 WHERE partner_id = 'acme'",
    /^partner acme was changed/,
  ],
  [
    'a key moved to another partner',
    "UPDATE keys SET partner_id = 'globex'",
    /^partner (acme|globex) was changed/,
  ],
  [
    'a default lifted',
    'UPDATE default_caps SET per_tx = 9999',
    /^the default caps were changed without an audit row$/,
  ],
  ['defaults to be set again', 'UPDATE default_caps SET set_at = NULL', /^the default caps were changed/],
  [
    'a tenant made',
    "INSERT INTO tenants (tenant_id, per_user_day, created_at) VALUES ('t9', NULL, 1)",
    /^tenant t9 was made without an audit row$/,
  ],
  [
    'a tenant removed',
    "DELETE FROM grants WHERE tenant_id = 't2'; DELETE FROM tenants WHERE tenant_id = 't2'",
    /^partner acme was changed|^tenant t2 was removed without an audit row$/,
  ],
]

test('an insider’s edit is found', async (t) => {
  const ledger = await aStoreLedger(t)
  const { operator, raw, verify } = ledger
  await suspendPartner(operator, 'globex')
  await setPartnerCaps(operator, 'acme', { perTx: 7, perPartnerDay: undefined }, undefined)
  await setTenantCaps(operator, 't1', 500)

  await t.test('an untouched trail has no complaints', async () => {
    assert.deepEqual((await verify()).fault, null)
  })

  for (const [what, sql, fault] of edits) {
    await t.test(what, async () => {
      const tables = ['partners', 'tenants', 'grants', 'keys', 'default_caps', 'audit', 'audit_head']
      await raw.run(tables.map((table) => `CREATE TABLE kept_${table} AS SELECT * FROM ${table}`).join(';'))
      await unlocked(ledger, () => raw.run(sql))
      const found = await verify()
      await unlocked(ledger, async () => {
        const emptied = tables.toReversed().filter((table) => !['partners', 'tenants'].includes(table))
        await raw.run([...emptied, 'tenants', 'partners'].map((table) => `DELETE FROM ${table}`).join(';'))
        await raw.run(tables.map((table) => `INSERT INTO ${table} SELECT * FROM kept_${table}`).join(';'))
      })
      await raw.run(tables.map((table) => `DROP TABLE kept_${table}`).join(';'))
      assert.equal(found.sound, false)
      assert.match(found.fault!, fault)
      assert.deepEqual((await verify()).fault, null, 'as it was before')
    })
  }
})

test('a change past the service is still found when an operator has changed the same partner since', async (t) => {
  const ledger = await aStoreLedger(t)
  const { operator, raw, verify } = ledger
  await raw.run("UPDATE partners SET per_tx = 9999 WHERE partner_id = 'acme'")
  await suspendPartner(operator, 'acme')
  assert.equal((await verify()).fault, 'audit #6: before it, partner acme was changed without an audit row')
})

test('a row that was forged with a hash to match breaks the link of the next one', async (t) => {
  const ledger = await aStoreLedger(t)
  const { operator, raw, verify } = ledger
  await setDefaultCaps(operator, { perTx: 5 })
  const row = (await auditRowsOf(ledger))[3]!
  const hash = Buffer.from(auditHash({ ...row, actor: 'nobody' })).toString('hex')
  const bytes = storeKind === 'postgres' ? `'\\x${hash}'` : `x'${hash}'`
  await unlocked(ledger, () =>
    raw.run(`UPDATE audit SET actor = 'nobody', hash = ${bytes} WHERE audit_seq = 4`),
  )
  assert.equal((await verify()).fault, 'audit #5: is not linked to the row before it')
})
