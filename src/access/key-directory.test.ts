import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { aDirectory } from '../../test/support/directories.ts'
import { eventually } from '../../test/support/eventually.ts'
import { aMasterKey, anOperator, makePartner } from '../../test/support/operators.ts'
import { temporaryFolder } from '../../test/support/service.ts'
import { aNoon } from '../../test/support/test-clock.ts'
import { allowTenant, denyTenant } from '../partners/allow-tenant.ts'
import { createKey, rotateKey } from '../partners/create-key.ts'
import { revokeKey } from '../partners/revoke-key.ts'
import { setPartnerRate } from '../partners/set-partner-rate.ts'
import { type DirectorySource, openKeyDirectory } from './key-directory.ts'
import { sign, signatureMatches } from './signature.ts'

const noSettings = { number: 0, auditSeq: 0, auditHash: '', follows: false }

const noError = (error: unknown) => {
  throw error
}

test('a key is found by itself, with the partner, its tenants and the secret that signs for it', async (t) => {
  const { keys, acme } = await aDirectory(t)
  const key = keys.find(acme.apiKey, aNoon)
  const caller = key.caller()
  assert(caller)
  assert.equal(caller.partnerId, 'acme')
  assert.equal(caller.keyId, acme.keyId)
  assert.deepEqual([...caller.tenants], ['t1'])
  assert.equal(caller.requestsPerSecond, null)
  const signature = sign(acme.signingSecret, '1', 'x')
  assert.equal(signatureMatches(key.secret, { timestamp: '1', payload: 'x', signature }), true)
})

test('an unknown key is not found', async (t) => {
  const { keys, acme } = await aDirectory(t)
  for (const key of ['', 'pck_nobody', acme.keyId, acme.apiKey.toUpperCase(), `${acme.apiKey} `]) {
    assert.equal(keys.find(key, aNoon).caller(), undefined, key)
  }
})

test('whether it is found or not, there is a secret to check against, also when there are no partners', async () => {
  const source: DirectorySource = { settingsVersion: async () => noSettings, changedPartners: async () => [] }
  const keys = await openKeyDirectory(source, aMasterKey, noError)
  keys.close()
  const { secret, caller } = keys.find('pck_nobody', aNoon)
  assert.equal(caller(), undefined)
  assert.equal(secret.hmac(new Uint8Array()).length, 32)
})

test('a key made by another connection is found within a second', async (t) => {
  const { keys, operator, aSecondPasses } = await aDirectory(t)
  const { apiKey } = await createKey(operator, 'acme', aMasterKey)
  assert.equal(keys.find(apiKey, aNoon).caller(), undefined)
  await aSecondPasses()
  assert.equal(keys.find(apiKey, aNoon).caller()?.partnerId, 'acme')
})

test('a partner made by another connection is found within a second', async (t) => {
  const { keys, operator, aSecondPasses } = await aDirectory(t)
  const globex = await makePartner(operator, { partnerId: 'globex', tenants: ['t1', 't9'] })
  await aSecondPasses()
  assert.deepEqual([...keys.find(globex.apiKey, aNoon).caller()!.tenants], ['t1', 't9'])
})

test('a key revoked by another connection is gone within a second; the others stay', async (t) => {
  const { keys, operator, acme, aSecondPasses } = await aDirectory(t)
  const second = await createKey(operator, 'acme', aMasterKey)
  await revokeKey(operator, acme.keyId)
  await aSecondPasses()
  assert.equal(keys.find(acme.apiKey, aNoon).caller(), undefined)
  assert.equal(keys.find(second.apiKey, aNoon).caller()?.keyId, second.keyId)
})

test('after a rotation both keys are found until the overlap ends, then the new one only', async (t) => {
  const { keys, operator, acme, aSecondPasses } = await aDirectory(t)
  const fresh = await rotateKey(operator, 'acme', 60_000, aMasterKey)
  await aSecondPasses()
  assert.equal(keys.find(acme.apiKey, aNoon + 59_999).caller()?.keyId, acme.keyId)
  assert.equal(keys.find(fresh.apiKey, aNoon + 59_999).caller()?.keyId, fresh.keyId)
  assert.equal(keys.find(acme.apiKey, aNoon + 60_000).caller(), undefined)
  assert.equal(keys.find(fresh.apiKey, aNoon + 60_000).caller()?.keyId, fresh.keyId)
})

for (const aheadMs of [0, 3_600_000]) {
  test(`a rotation without overlap ends the old key within a second, by a clock that is ${aheadMs} ms ahead`, async (t) => {
    const { keys, operator, acme, aSecondPasses } = await aDirectory(t)
    const fresh = await rotateKey({ ...operator, now: operator.now + aheadMs }, 'acme', 0, aMasterKey)
    await aSecondPasses()
    assert.equal(keys.find(acme.apiKey, aNoon).caller(), undefined)
    assert.equal(keys.find(fresh.apiKey, aNoon).caller()?.keyId, fresh.keyId)
  })
}

test('a tenant allowed or denied by another connection counts within a second', async (t) => {
  const { keys, operator, acme, aSecondPasses } = await aDirectory(t)
  await allowTenant(operator, 'acme', 't2')
  await aSecondPasses()
  assert.deepEqual([...keys.find(acme.apiKey, aNoon).caller()!.tenants], ['t1', 't2'])
  await denyTenant(operator, 'acme', 't1')
  await aSecondPasses()
  assert.deepEqual([...keys.find(acme.apiKey, aNoon).caller()!.tenants], ['t2'])
})

test('a request rate set by another connection counts within a second', async (t) => {
  const { keys, operator, acme, aSecondPasses } = await aDirectory(t)
  await setPartnerRate(operator, 'acme', 50)
  await aSecondPasses()
  assert.equal(keys.find(acme.apiKey, aNoon).caller()?.requestsPerSecond, 50)
})

test('poll reads a change at once', async (t) => {
  const { keys, operator, acme } = await aDirectory(t)
  await revokeKey(operator, acme.keyId)
  keys.poll()
  await nextTurn()
  assert.equal(keys.find(acme.apiKey, aNoon).caller(), undefined)
})

test('the clock of the machine does it too: a change is seen without anyone asking', async (t) => {
  const path = join(temporaryFolder(t), 'ledger.db')
  const operator = anOperator(t, path)
  const acme = await makePartner(operator)
  const keys = await openKeyDirectory(anOperator(t, path).store, aMasterKey, noError)
  t.after(() => keys.close())
  await revokeKey(operator, acme.keyId)
  await eventually('the revoked key is gone', () => keys.find(acme.apiKey, aNoon).caller() === undefined)
})

test('while nothing has changed the partners are not read again', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const real = anOperator(t, join(temporaryFolder(t), 'ledger.db')).store
  const calls: string[] = []
  const source: DirectorySource = {
    settingsVersion(known) {
      calls.push('version')
      return real.settingsVersion(known)
    },
    changedPartners(...page) {
      calls.push('partners')
      return real.changedPartners(...page)
    },
  }
  const keys = await openKeyDirectory(source, aMasterKey, noError)
  t.after(() => keys.close())
  for (let step = 0; step < 8; step++) {
    t.mock.timers.tick(250)
    await nextTurn()
  }
  assert.deepEqual(calls, ['version', 'partners', ...Array(8).fill('version')])
})

test('a directory that cannot be read at the start does not open', async () => {
  const source: DirectorySource = {
    settingsVersion: () => Promise.reject(new Error('away')),
    changedPartners: async () => [],
  }
  await assert.rejects(openKeyDirectory(source, aMasterKey, noError), /away/)
})

test('under another master key the directory does not open', async (t) => {
  const operator = anOperator(t, join(temporaryFolder(t), 'ledger.db'))
  await makePartner(operator)
  await assert.rejects(openKeyDirectory(operator.store, new Uint8Array(32), noError))
})

test('a poll that fails after the directory was closed is not reported', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  const { promise: slow, reject } = Promise.withResolvers<typeof noSettings>()
  let asked = 0
  const source: DirectorySource = {
    settingsVersion: () => (++asked === 1 ? Promise.resolve(noSettings) : slow),
    changedPartners: async () => [],
  }
  const errors: unknown[] = []
  const keys = await openKeyDirectory(source, aMasterKey, (error) => errors.push(error))
  keys.poll()
  keys.close()
  reject(new Error('the store was closed'))
  await nextTurn()
  assert.equal(asked, 2)
  assert.deepEqual(errors, [])
})

test('a closed directory asks no more', async (t) => {
  const { keys, operator, acme, aSecondPasses } = await aDirectory(t)
  keys.close()
  await revokeKey(operator, acme.keyId)
  await aSecondPasses()
  assert.equal(keys.find(acme.apiKey, aNoon).caller()?.keyId, acme.keyId)
})
