import { equal, notEqual, ok, throws } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { newJournalKey, openJournalKey, orderFingerprint } from './journal-key.ts'

const masterKey = randomBytes(32)

test('an order has one fingerprint under one key, and another under another key', () => {
  const sealed = newJournalKey(masterKey)
  const [key, same] = [openJournalKey(masterKey, sealed), openJournalKey(masterKey, sealed)]
  const other = openJournalKey(masterKey, newJournalKey(masterKey))
  equal(orderFingerprint(key, 'order-1'), orderFingerprint(same, 'order-1'))
  notEqual(orderFingerprint(key, 'order-1'), orderFingerprint(key, 'order-2'))
  notEqual(orderFingerprint(key, 'order-1'), orderFingerprint(other, 'order-1'))
  ok(orderFingerprint(key, 'x'.repeat(200)).length <= 22)
})

test('the key is of no use without the master key', () => {
  throws(() => openJournalKey(randomBytes(32), newJournalKey(masterKey)))
})
