import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readUserRef, writeUserRef } from './user-ref.ts'

const key = new Uint8Array(32).fill(1)
const user = { tenantId: 't1', userEmail: 'ann@example.com' }

test('a user has one reference, which only the master key of the ledger opens, and only in its tenant', () => {
  const ref = writeUserRef(key, user)
  assert.equal(writeUserRef(key, user), ref)
  assert.deepEqual(readUserRef(key, 't1', ref), user)
  assert.throws(() => readUserRef(key, 't2', ref), /no such reference/)
  assert.throws(() => readUserRef(new Uint8Array(32).fill(2), 't1', ref), /no such reference/)
  assert.notEqual(writeUserRef(key, { ...user, tenantId: 't2' }), ref)
  assert.notEqual(writeUserRef(new Uint8Array(32).fill(2), user), ref)
})

test('a reference of which a single bit was changed, or that was cut, is refused', () => {
  const bytes = Buffer.from(writeUserRef(key, user), 'base64url')
  for (let at = 0; at < bytes.length; at++) {
    const changed = Buffer.from(bytes)
    changed[at]! ^= 1
    assert.throws(() => readUserRef(key, 't1', changed.toString('base64url')), /no such reference/)
    assert.throws(
      () => readUserRef(key, 't1', bytes.subarray(0, at).toString('base64url')),
      /no such reference/,
    )
  }
})
