import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingChanges } from './setting-changes.ts'

const acme = {
  partnerId: 'acme',
  perTx: null,
  grants: [{ tenantId: 't1', perTx: null }],
  keys: [{ keyId: 'key_1', revokedAt: null }],
}

test('what is the same is no change', () => {
  assert.deepEqual(settingChanges(acme, structuredClone(acme)), [])
})

test('a change names the field, with tenants and keys by their ids, whatever their order', () => {
  const after = {
    ...acme,
    perTx: 5,
    grants: [
      { tenantId: 't2', perTx: null },
      { tenantId: 't1', perTx: 7 },
    ],
    keys: [{ keyId: 'key_1', revokedAt: 1_700_000_000_000 }],
  }
  assert.deepEqual(settingChanges(acme, after), [
    { field: 'perTx', before: null, after: 5 },
    { field: 'grants.t1.perTx', before: null, after: 7 },
    { field: 'grants.t2', before: null, after: { tenantId: 't2', perTx: null } },
    { field: 'keys.key_1.revokedAt', before: null, after: 1_700_000_000_000 },
  ])
  assert.deepEqual(settingChanges(after, { ...after, grants: [after.grants[1]] }), [
    { field: 'grants.t2', before: { tenantId: 't2', perTx: null }, after: null },
  ])
})

test('of what was not there before, every field that has a value is a change', () => {
  assert.deepEqual(settingChanges(null, acme), [
    { field: 'partnerId', before: null, after: 'acme' },
    { field: 'grants.t1', before: null, after: { tenantId: 't1', perTx: null } },
    { field: 'keys.key_1', before: null, after: { keyId: 'key_1', revokedAt: null } },
  ])
})
