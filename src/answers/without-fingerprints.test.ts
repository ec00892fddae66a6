import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingChanges } from './setting-changes.ts'
import { withoutFingerprints } from './without-fingerprints.ts'

const mai = (passwordFingerprint: string | null, role = 'viewer') => ({
  operatorId: 'mai',
  role,
  passwordFingerprint,
})

test('of a password the audit trail shows that it was set, changed or removed, and never its fingerprint', () => {
  const changes = (before: unknown, after: unknown) => {
    const states = withoutFingerprints(before, after)
    assert.doesNotMatch(JSON.stringify(states), /aa41|bb52|ingerprint/)
    return settingChanges(...states).filter(({ field }) => field !== 'operatorId' && field !== 'role')
  }
  const set = { field: 'password', before: null, after: 'set' }
  assert.deepEqual(changes(null, mai('aa41')), [set])
  assert.deepEqual(changes(mai(null), mai('aa41')), [set])
  assert.deepEqual(changes(mai('aa41'), mai('bb52')), [
    { field: 'password', before: 'set', after: 'changed' },
  ])
  assert.deepEqual(changes(mai('aa41'), mai(null)), [{ field: 'password', before: 'set', after: null }])
  assert.deepEqual(changes(mai('aa41'), mai('aa41', 'admin')), [])
  const token = { tokenId: 't', fingerprint: 'aa41' }
  assert.deepEqual(withoutFingerprints(null, token), [null, { tokenId: 't', secret: 'set' }])
})

test('what is no setting, or has no secret, is shown as it is', () => {
  const acme = { partnerId: 'acme', keys: [{ keyId: 'k1' }] }
  assert.deepEqual(withoutFingerprints('broken', acme), ['broken', acme])
})
