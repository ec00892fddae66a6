import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isAsRecorded } from './recorded-settings.ts'

const acme = {
  partnerId: 'acme',
  perTx: null,
  grants: [
    { tenantId: 't1', perTx: null },
    { tenantId: 't2', perTx: 5 },
  ],
  keys: [
    { keyId: 'key_1', revokedAt: null },
    { keyId: 'key_2', revokedAt: 7 },
  ],
}

const cases: [what: string, current: unknown, holds: boolean][] = [
  ['the same', acme, true],
  [
    'tenants and keys in another order',
    { ...acme, grants: acme.grants.toReversed(), keys: acme.keys.toReversed() },
    true,
  ],
  ['a field that came later', { ...acme, sandbox: false }, true],
  ['another cap', { ...acme, perTx: 5 }, false],
  ['a field less', { partnerId: 'acme', grants: acme.grants, keys: acme.keys }, false],
  ['another cap in a tenant', { ...acme, grants: [acme.grants[0], { tenantId: 't2', perTx: 6 }] }, false],
  ['another tenant', { ...acme, grants: [acme.grants[0], { tenantId: 't3', perTx: 5 }] }, false],
  ['a tenant more', { ...acme, grants: [...acme.grants, { tenantId: 't3', perTx: 5 }] }, false],
  ['one key twice in the place of another', { ...acme, keys: [acme.keys[0], acme.keys[0]] }, false],
  ['no list where one was', { ...acme, keys: 'key_1' }, false],
  ['nothing', null, false],
]
for (const [what, current, holds] of cases) {
  test(`${what} ${holds ? 'is' : 'is not'} as recorded`, () => {
    assert.equal(isAsRecorded(JSON.stringify(acme), JSON.stringify(current)), holds)
  })
}

const t1 = '{"tenantId":"t1","perUserDay":null}'
test('a tenant that was recorded before there were sandbox tenants is a live one', () => {
  assert.equal(isAsRecorded(t1, '{"tenantId":"t1","mode":"live","perUserDay":null}'), true)
  assert.equal(isAsRecorded(t1, '{"tenantId":"t1","mode":"sandbox","perUserDay":null}'), false)
})

test('a tenant that was recorded as sandbox is not a live one', () => {
  const recorded = '{"tenantId":"t1","mode":"sandbox"}'
  assert.equal(isAsRecorded(recorded, recorded), true)
  assert.equal(isAsRecorded(recorded, '{"tenantId":"t1","mode":"live"}'), false)
})

test('plain values in a list are compared as they are', () => {
  assert.equal(isAsRecorded('{"tags":["a","b"]}', '{"tags":["b","a"]}'), true)
  assert.equal(isAsRecorded('{"tags":["a","b"]}', '{"tags":["a","c"]}'), false)
})

test('an operator whose password no export has carried is as recorded, one with another password is not', () => {
  const recorded = '{"operatorId":"mai","role":"admin","passwordFingerprint":"a"}'
  assert.equal(isAsRecorded(recorded, '{"operatorId":"mai","role":"admin","passwordFingerprint":null}'), true)
  assert.equal(isAsRecorded(recorded, '{"operatorId":"mai","role":"admin","passwordFingerprint":"b"}'), false)
  assert.equal(isAsRecorded('{"passwordFingerprint":null}', '{"passwordFingerprint":"b"}'), false)
})
