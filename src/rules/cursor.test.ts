import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { readCursor, writeCursor } from './cursor.ts'

const account = { partnerId: 'acme', tenantId: 't1' }
const ids = fc.stringMatching(/^[A-Za-z0-9][A-Za-z0-9._-]{0,20}$/)
const accounts = fc.record({ partnerId: ids, tenantId: ids })
const seqs = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })

test('the format of a cursor does not drift: version 1, seq, eight bytes of SHA-256', () => {
  const position = Buffer.from('010000000000000007', 'hex')
  const check = createHash('sha256')
    .update(Buffer.concat([position, Buffer.from('acme t1')]))
    .digest()
  const expected = Buffer.concat([position, check.subarray(0, 8)]).toString('base64url')
  assert.equal(expected, 'AQAAAAAAAAAHiUSjLNWwOro')
  assert.equal(writeCursor(account, 7), expected)
  assert.equal(readCursor(account, expected), 7)
})

test('a cursor gives back the seq it was written for', () => {
  fc.assert(
    fc.property(accounts, seqs, (anyAccount, seq) => {
      const cursor = writeCursor(anyAccount, seq)
      assert.equal(readCursor(anyAccount, cursor), seq)
      assert.match(cursor, /^[A-Za-z0-9_-]{23}$/, 'it needs no escaping in a query')
    }),
  )
})

test('a cursor of another partner or tenant is refused', () => {
  fc.assert(
    fc.property(accounts, accounts, seqs, (mine, other, seq) => {
      fc.pre(mine.partnerId !== other.partnerId || mine.tenantId !== other.tenantId)
      assert.equal(readCursor(other, writeCursor(mine, seq)), null)
    }),
  )
  assert.equal(readCursor({ partnerId: 'ac', tenantId: 'me.t1' }, writeCursor(account, 7)), null)
})

test('a cursor with any one character changed to any other is refused', () => {
  const cursor = writeCursor(account, 7)
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_+/= %'
  for (let at = 0; at < cursor.length; at++) {
    for (const character of alphabet) {
      if (character === cursor[at]) continue
      const damaged = cursor.slice(0, at) + character + cursor.slice(at + 1)
      assert.equal(readCursor(account, damaged), null, damaged)
    }
  }
})

const whole = writeCursor(account, 7)
const damaged: [why: string, cursor: string][] = [
  ['empty', ''],
  ['cut short', whole.slice(0, -1)],
  ['too long', `${whole}A`],
  ['far too long', whole.repeat(1000)],
  ['padded', `${whole}=`],
  ['with a space around it', ` ${whole}`],
  ['no base64 at all', 'páge 2'],
  ['a bare number', '7'],
]
for (const [why, cursor] of damaged) {
  test(`a cursor is refused that is ${why}`, () => {
    assert.equal(readCursor(account, cursor), null)
  })
}

test('a cursor of another version is refused, though its check is right', () => {
  assert.equal(readCursor(account, forged('020000000000000007')), null)
  assert.equal(readCursor(account, forged('010000000000000007')), 7)
})

test('a seq beyond the safe integers is refused, though its check is right', () => {
  assert.equal(readCursor(account, forged('010020000000000000')), null)
  assert.equal(readCursor(account, forged('01001fffffffffffff')), Number.MAX_SAFE_INTEGER)
})

function forged(positionHex: string): string {
  const position = Buffer.from(positionHex, 'hex')
  const check = createHash('sha256').update(position).update('acme t1').digest().subarray(0, 8)
  return Buffer.concat([position, check]).toString('base64url')
}
