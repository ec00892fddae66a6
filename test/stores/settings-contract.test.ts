import assert from 'node:assert/strict'
import { test } from 'node:test'
import { allowTenant, denyTenant } from '../../src/partners/allow-tenant.ts'
import { createKey, replaceKey, rotateKey } from '../../src/partners/create-key.ts'
import { Refused } from '../../src/partners/refused.ts'
import { revokeKey } from '../../src/partners/revoke-key.ts'
import { setDefaultCaps } from '../../src/partners/set-default-caps.ts'
import { setPartnerCaps } from '../../src/partners/set-partner-caps.ts'
import { setPartnerRate } from '../../src/partners/set-partner-rate.ts'
import { resumePartner, suspendPartner } from '../../src/partners/set-partner-status.ts'
import { setTenantCaps } from '../../src/partners/set-tenant-caps.ts'
import { openStore } from '../../src/stores/open.ts'
import { aMasterKey, makePartner } from '../support/operators.ts'
import { aStoreLedger } from '../support/store-ledger.ts'

test('every change has its audit row, without secrets, and one for each tenant that it makes, and raises the version by one', async (t) => {
  const { operator, raw } = await aStoreLedger(t)
  const [acme] = await operator.store.partners()
  const changes: [change: () => Promise<unknown>, rows?: number][] = [
    [() => suspendPartner(operator, 'acme')],
    [() => resumePartner(operator, 'acme')],
    [() => setPartnerCaps(operator, 'acme', { perTx: 5, perPartnerDay: null }, undefined)],
    [() => setPartnerRate(operator, 'acme', 10)],
    [() => allowTenant(operator, 'acme', 't9'), 2],
    [() => denyTenant(operator, 'acme', 't9')],
    [() => setTenantCaps(operator, 't9', 0)],
    [() => setDefaultCaps(operator, { perTx: 3 })],
    [() => createKey(operator, 'acme', aMasterKey)],
    [() => rotateKey(operator, 'acme', 1000, aMasterKey)],
    [() => revokeKey(operator, acme!.keys[0]!.keyId)],
    [() => makePartner(operator, { partnerId: 'initech', tenants: ['t10', 't11', 't9'] }), 3],
  ]
  for (const [change, rows = 1] of changes) {
    const version = await operator.store.settingsVersion(null)
    const before = await raw.rows('SELECT * FROM audit')
    await change()
    const next = await operator.store.settingsVersion(version)
    assert.equal(next.number, version.number + 1)
    assert.equal(next.follows, true)
    assert.equal((await raw.rows('SELECT * FROM audit')).length, before.length + rows)
  }
  assert.doesNotMatch(
    JSON.stringify(await raw.rows('SELECT before, after FROM audit')),
    /seal|secret|hash|pc[ks]_/i,
  )
})

test('a refused change leaves no trace', async (t) => {
  const { operator, raw } = await aStoreLedger(t)
  const version = await operator.store.settingsVersion(null)
  const audit = await raw.rows('SELECT * FROM audit')
  await assert.rejects(makePartner(operator), Refused)
  await assert.rejects(suspendPartner(operator, 'nobody'), Refused)
  await assert.rejects(setTenantCaps(operator, 'nowhere', 1), Refused)
  assert.deepEqual(await operator.store.settingsVersion(null), version)
  assert.deepEqual(await raw.rows('SELECT * FROM audit'), audit)
})

test('two operators at once lose neither’s change', async (t) => {
  const { operator, database } = await aStoreLedger(t)
  const other = await openStore(database)
  t.after(() => other.close())
  await Promise.all([
    ...['a1', 'a2', 'a3'].map((tenant) => allowTenant(operator, 'acme', tenant)),
    ...['b1', 'b2', 'b3'].map((tenant) =>
      allowTenant({ ...operator, store: other.partners }, 'acme', tenant),
    ),
  ])
  const [acme] = await operator.store.partners()
  assert.deepEqual(
    acme!.grants.map(({ tenantId }) => tenantId),
    ['a1', 'a2', 'a3', 'b1', 'b2', 'b3', 't1', 't2'],
  )
})

test('of two rotations at the same time one is refused, and the key of the other does not expire', async (t) => {
  const { operator, database } = await aStoreLedger(t)
  const other = await openStore(database)
  t.after(() => other.close())
  const operators = [operator, { ...operator, store: other.partners }]
  // Both have read the keys before either changes them.
  let readers = 0
  const bothRead = Promise.withResolvers<void>()
  const rotations = await Promise.allSettled(
    operators.map((one) => {
      const { store } = one
      const partners = async (partnerId?: string) => {
        const read = await store.partners(partnerId)
        if (++readers === operators.length) bothRead.resolve()
        await bothRead.promise
        return read
      }
      return rotateKey({ ...one, store: { ...store, partners } }, 'acme', 1000, aMasterKey)
    }),
  )
  const failure = rotations.find(({ status }) => status === 'rejected') as PromiseRejectedResult
  assert.match(
    failure.reason.message,
    /another key of "acme" was created at the same time: look at key list acme/,
  )
  const { keys } = (await operator.store.partners('acme'))[0]!
  assert.equal(keys.length, 2)

  const { keyId } = keys.find(({ expiresAt }) => expiresAt === null)!
  const replacing = { keyId, overlapMs: 1000 }
  const replacements = operators.map((one) => replaceKey(one, 'acme', replacing, aMasterKey))
  const refused = (await Promise.allSettled(replacements)).filter(({ status }) => status === 'rejected')
  assert.equal(refused.length, 1)
  assert.match((refused[0] as PromiseRejectedResult).reason.message, /was replaced before and expires at 2/)
})

test('settings read back as they were set', async (t) => {
  const { operator } = await aStoreLedger(t)
  await setPartnerCaps(operator, 'acme', { perTx: 2 ** 53 - 1, perPartnerDay: 0 }, 't1')
  await setPartnerRate(operator, 'acme', 7)
  const rotated = await rotateKey(operator, 'acme', 60_000, aMasterKey)
  const [acme] = await operator.store.partners()
  const { grants, keys, requestsPerSecond } = acme!
  assert.deepEqual(grants, [
    { tenantId: 't1', perTx: 2 ** 53 - 1, perPartnerDay: 0 },
    { tenantId: 't2', perTx: null, perPartnerDay: null },
  ])
  assert.equal(requestsPerSecond, 7)
  const expiries = keys.map(({ keyId, expiresAt }) => [keyId === rotated.keyId, expiresAt])
  assert.deepEqual(expiries.toSorted(), [
    [false, operator.now + 60_000],
    [true, null],
  ])
})

test('a value is put once: the first value stands, and everyone is given it', async (t) => {
  const { store } = await aStoreLedger(t).then(({ operator }) => operator)
  assert.equal(await store.hasValue('a'), false)
  assert.deepEqual([...(await store.putIfAbsent('a', Uint8Array.of(1)))], [1])
  assert.deepEqual([...(await store.putIfAbsent('a', Uint8Array.of(2)))], [1])
  assert.equal(await store.hasValue('a'), true)
})
