import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCursor, writeCursor } from './cursor.ts'

test('a cursor leads back to its place, and only in its own list', () => {
  const cursor = writeCursor('accounts', ['acme', 7])
  assert.deepEqual(readCursor('accounts', cursor, ['string', 'number']), ['acme', 7])
  assert.equal(readCursor('accounts', undefined, ['string', 'number']), null)
  const damaged = ['', 'x', cursor.slice(1), Buffer.from('{}').toString('base64url'), '%']
  for (const other of damaged)
    assert.throws(() => readCursor('accounts', other, ['string', 'number']), /cursor/)
  assert.throws(() => readCursor('partners', cursor, ['string', 'number']), /cursor/)
  assert.throws(() => readCursor('accounts', cursor, ['number', 'number']), /cursor/)
  assert.throws(
    () => readCursor('accounts', writeCursor('accounts', ['a', 1.5]), ['string', 'number']),
    /cursor/,
  )
})
