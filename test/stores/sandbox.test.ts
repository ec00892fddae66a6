import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allowTenant } from '../../src/partners/allow-tenant.ts'
import { Refused } from '../../src/partners/refused.ts'
import { setTenantCaps } from '../../src/partners/set-tenant-caps.ts'
import { migrateStore, openSnapshot, openStore } from '../../src/stores/open.ts'
import { verifyLedger } from '../../src/proof/verify.ts'
import { storeKind } from '../support/fresh-database.ts'
import { olderLedger } from '../support/older-ledger.ts'
import { makePartner } from '../support/operators.ts'
import type { RawDatabase } from '../support/raw-database.ts'
import { anOrder } from '../support/sqlite-ledger.ts'
import { aStoreLedger } from '../support/store-ledger.ts'
import { anEmptyDatabase, exportOf, importInto, rawDump, resealed, withRaw } from '../support/transfers.ts'

const inSandbox = (orderId: string, fields = {}) => anOrder(orderId, { tenantId: 't1-test', ...fields })

test('a tenant is made live or sandbox, and its audit row says which', async (t) => {
  const { operator, raw, verify } = await aStoreLedger(t)
  await makePartner(operator, { partnerId: 'initech', tenants: ['t7'], sandboxTenants: ['t7-test'] })
  await allowTenant(operator, 'acme', 'ci', 'sandbox')
  const modes = (await operator.store.tenants()).map(({ tenantId, mode }) => `${tenantId} ${mode}`)
  assert.deepEqual(modes, ['ci sandbox', 't1 live', 't2 live', 't7 live', 't7-test sandbox'])
  const rows = await raw.rows("SELECT subject, after FROM audit WHERE action = 'tenant create' ORDER BY 1")
  assert.deepEqual(
    rows.map(({ subject, after }) => `${subject} ${JSON.parse(String(after)).mode}`),
    ['tenant ci sandbox', 'tenant t1 live', 'tenant t2 live', 'tenant t7 live', 'tenant t7-test sandbox'],
  )
  assert.equal((await verify()).fault, null)
})

test('several partners may use one sandbox tenant', async (t) => {
  const { operator, verify } = await aStoreLedger(t)
  await allowTenant(operator, 'acme', 't1-test', 'sandbox')
  await allowTenant(operator, 'globex', 't1-test', 'sandbox')
  await allowTenant(operator, 'globex', 't1-test', 'sandbox')
  assert.equal((await verify()).fault, null)
})

test('a live tenant is never taken for a sandbox, nor a sandbox for a live one, and nothing is changed by the attempt', async (t) => {
  const { operator, database } = await aStoreLedger(t)
  await allowTenant(operator, 'acme', 't1-test', 'sandbox')
  const before = await rawDump(database)
  const live = /the tenant "t1" is a live tenant, which never changes: name it with --tenant, or/
  const sandbox =
    /the tenant "t1-test" is a sandbox tenant, which never changes: name it with --sandbox-tenant/
  const initech = { partnerId: 'initech' }
  const attempts: [() => Promise<unknown>, RegExp][] = [
    [() => makePartner(operator, { ...initech, tenants: [], sandboxTenants: ['new', 't1'] }), live],
    [() => makePartner(operator, { ...initech, tenants: ['t1-test'] }), sandbox],
    [() => allowTenant(operator, 'globex', 't1', 'sandbox'), live],
    [() => allowTenant(operator, 'acme', 't1-test'), sandbox],
    [() => makePartner(operator, { ...initech, sandboxTenants: ['t1'] }), /named as live and as sandbox/],
    [() => makePartner(operator, { ...initech, tenants: [], sandboxTenants: ['a b'] }), /^the tenant "a b" /],
  ]
  for (const [attempt, complaint] of attempts) {
    await assert.rejects(attempt, (error: Error) => error instanceof Refused && complaint.test(error.message))
  }
  assert.equal(await rawDump(database), before)
})

test('another cap leaves a sandbox tenant a sandbox', async (t) => {
  const { operator, verify } = await aStoreLedger(t)
  await allowTenant(operator, 'acme', 't1-test', 'sandbox')
  const { mode, perUserDay } = await setTenantCaps(operator, 't1-test', 7)
  assert.deepEqual([mode, perUserDay], ['sandbox', 7])
  assert.equal((await verify()).fault, null)
})

test('awards in a sandbox follow every rule and use up nothing of a live tenant’s caps', async (t) => {
  const { store, operator, verify } = await aStoreLedger(t, { perTx: 5, perPartnerDay: 5, perUserDay: 5 })
  await allowTenant(operator, 'acme', 't1-test', 'sandbox')
  const award = async (order: ReturnType<typeof anOrder>) => {
    const outcome = await store.ledger.award(order)
    return outcome.kind === 'rejected' ? outcome.rejection.code : outcome.kind
  }
  assert.equal(await award(inSandbox('S1', { amount: 6000 })), 'PER_TX_CAP_EXCEEDED')
  assert.equal(await award(inSandbox('S2', { amount: 5000 })), 'credited')
  assert.equal(await award(inSandbox('S2', { amount: 5000 })), 'duplicate')
  assert.equal(await award(inSandbox('S3', { amount: 1000 })), 'DAILY_CAP_EXCEEDED')
  assert.equal(await award(anOrder('L1', { amount: 5000 })), 'credited', 'the same user and partner, live')
  assert.equal(await award(anOrder('S2', { amount: 5000 })), 'ORDER_ID_CONFLICT', 'one order, all tenants')
  const { fault, entries } = await verify()
  assert.deepEqual([fault, entries], [null, 2])
})

test('the database itself refuses to change the mode of a tenant', async (t) => {
  const { operator, raw } = await aStoreLedger(t)
  await allowTenant(operator, 'acme', 't1-test', 'sandbox')
  for (const mode of ['live', 'sandbox'])
    await assert.rejects(raw.run(`UPDATE tenants SET mode = '${mode}'`), /mode of a tenant never changes/)
  await assert.rejects(raw.run("INSERT INTO tenants (tenant_id, mode, created_at) VALUES ('t9', 'x', 1)"))
})

/** As an insider would, who restores the triggers afterwards. */
async function setMode(raw: RawDatabase, tenantId: string, mode: string): Promise<void> {
  const update = `UPDATE tenants SET mode = '${mode}' WHERE tenant_id = '${tenantId}'`
  if (storeKind === 'postgres') {
    await raw.run('ALTER TABLE tenants DISABLE TRIGGER USER')
    await raw.run(update)
    return raw.run('ALTER TABLE tenants ENABLE TRIGGER USER')
  }
  const [trigger] = await raw.rows(
    "SELECT sql FROM sqlite_schema WHERE name = 'tenant_mode_is_never_changed'",
  )
  await raw.run(`DROP TRIGGER tenant_mode_is_never_changed; ${update}; ${trigger!.sql}`)
}

for (const [tenantId, mode] of [
  ['t1', 'sandbox'],
  ['t1-test', 'live'],
] as const) {
  test(`a tenant that was made ${mode} past the service is found by verify, and not exported`, async (t) => {
    const { operator, store, raw, verify, database } = await aStoreLedger(t)
    await allowTenant(operator, 'acme', 't1-test', 'sandbox')
    await store.ledger.award(anOrder('A1', { tenantId }))
    await setMode(raw, tenantId, mode)
    assert.equal((await verify()).fault, `tenant ${tenantId} was changed without an audit row`)
    await assert.rejects(exportOf(database), /not sound: tenant .* was changed without an audit row/)
  })
}

test('a tenant from before there were sandbox tenants is live, and verify finds it if that was changed', async (t) => {
  const database = await olderLedger(t)
  await migrateStore(database)
  const fault = async () => {
    const snapshot = await openSnapshot(database)
    try {
      return (await verifyLedger(snapshot, () => {})).fault
    } finally {
      await snapshot.close()
    }
  }
  assert.equal(await fault(), null)
  await withRaw(database, (raw) => setMode(raw, 't0', 'sandbox'))
  assert.equal(await fault(), 'tenant t0 was changed without an audit row')
})

test('without what refuses another mode, the ledger is not sound', async (t) => {
  const { raw, verify } = await aStoreLedger(t)
  const on = storeKind === 'postgres' ? ' ON tenants' : ''
  await raw.run(`DROP TRIGGER tenant_mode_is_never_changed${on}`)
  assert.match((await verify()).fault!, /^the trigger tenant_mode_is_never_changed is missing/)
})

test('an export carries the mode of every tenant, and an import keeps it, into either store', async (t) => {
  const { operator, store, database } = await aStoreLedger(t)
  await allowTenant(operator, 'acme', 't1-test', 'sandbox')
  await store.ledger.award(inSandbox('S1'))
  await store.ledger.award(anOrder('A1'))
  const file = await exportOf(database)
  const kinds = storeKind === 'postgres' ? (['sqlite', 'postgres'] as const) : (['sqlite'] as const)
  for (const kind of kinds) {
    const target = await anEmptyDatabase(t, kind)
    await importInto(target, file)
    assert.equal(await rawDump(target), await rawDump(database))
    assert.deepEqual(await modesOf(target), ['t1 live', 't1-test sandbox', 't2 live'])
  }
})

test('a file that turns a sandbox tenant into a live one is refused, even with a seal to match', async (t) => {
  const { operator, database } = await aStoreLedger(t)
  await allowTenant(operator, 'acme', 't1-test', 'sandbox')
  const file = (await exportOf(database)).trimEnd().split('\n')
  const target = await anEmptyDatabase(t, storeKind)
  const withMode = (text: string) => file.map((line) => line.replace('"mode":"sandbox"', text))
  const forged = resealed(withMode('"mode":"live"'))
  await assert.rejects(importInto(target, forged), /tenant t1-test was changed without an audit row/)
  await assert.rejects(importInto(target, resealed(withMode('"mode":"x"'))), /its mode has not the form/)
})

test('a file of the second format has live tenants only, and is imported as it is', async (t) => {
  const { store, database } = await aStoreLedger(t)
  await store.ledger.award(anOrder('A1'))
  const older = (await exportOf(database))
    .trimEnd()
    .split('\n')
    .map((line) => line.replace('"version":4', '"version":2').replace('"operator":0,"token":0,', ''))
  const withMode = older.map((line) => line.replace('"mode":"live"', '"mode":"sandbox"'))
  const withoutMode = older.map((line) => (isTenant(line) ? line.replace('"mode":"live",', '') : line))
  const target = await anEmptyDatabase(t, storeKind)
  await assert.rejects(importInto(target, resealed(withMode)), /has a field that no tenant has/)
  await importInto(target, resealed(withoutMode))
  assert.deepEqual(await modesOf(target), ['t1 live', 't2 live'])
})

const isTenant = (line: string) => line.startsWith('{"kind":"tenant",')

async function modesOf(database: Parameters<typeof openStore>[0]): Promise<string[]> {
  const store = await openStore(database)
  try {
    return (await store.partners.tenants()).map(({ tenantId, mode }) => `${tenantId} ${mode}`)
  } finally {
    await store.close()
  }
}
