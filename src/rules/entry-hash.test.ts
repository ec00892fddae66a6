import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import fc from 'fast-check'
import { anEntry } from '../../test/support/awards.ts'
import type { Entry } from './entry.ts'
import { bytesOf } from '../shortcuts/field-digest.ts'
import { accountFields, entryDigest, entryHash, personalCommitment } from './entry-hash.ts'

const previous = new Uint8Array(32).fill(9)

test('the format of the hash does not drift: its bytes are written out here independently', () => {
  const salt = '000102030405060708090a0b0c0d0e0f'
  const commitment = sha256(
    `01 01 00000010 ${salt} 01 0000000e ${hex('lan@example.vn')} 01 0000000e ${hex('for your order')}` +
      `01 0000000e ${hex('{"shop": 1.10}')}`,
  )
  const bytes = [
    `01 01 00000020 ${'09'.repeat(32)}`,
    `01 00000004 ${hex('acme')} 01 00000002 ${hex('t1')} 01 00000001 ${hex('7')}`,
    `01 00000024 ${hex('019a0000-0000-7000-8000-000000000001')} 01 00000002 ${hex('A1')}`,
    `01 00000020 ${commitment} 01 00000004 ${hex('5999')} 01 00000004 ${hex('1000')} 01 00000001 ${hex('5')}`,
    `01 0000000d ${hex('1700000000000')}`,
    `01 00000005 ${hex('10000')} 01 00000007 ${hex('1000000')} 01 00000005 ${hex('20000')}`,
    `01 00000003 ${hex('105')} 01 00000002 ${hex('25')}`,
  ]
  assert.equal(sha256(bytes.join('')), 'a6299afb37c947a1a87db711dcacf935f50d6bd618f6036b79da615369462928')
  assert.equal(hashOf(anEntry()), sha256(bytes.join('')))
})

test('a field that is null is written as a zero byte and no length', () => {
  const bytes = `01 01 00000001 ff 01 00000001 ${hex('a')} 00 00000000 00 00000000`
  const commitment = personalCommitment({ salt: Uint8Array.of(255), userEmail: 'a', note: null, meta: null })
  assert.equal(Buffer.from(commitment).toString('hex'), sha256(bytes))
})

const { caps } = anEntry()
const changes: Partial<Entry>[] = [
  { partnerId: 'acm' },
  { tenantId: 't2' },
  { seq: 8 },
  { epTransactionId: '019a0000-0000-7000-8000-000000000002' },
  { orderId: 'a1' },
  { userEmail: 'lam@example.vn' },
  { note: null },
  { note: '' },
  { note: 'for your order ' },
  { meta: null },
  { meta: '{"shop":1.10}' },
  { salt: new Uint8Array(16) },
  { salt: null },
  { commitment: new Uint8Array(32) },
  { rawAmount: 5998 },
  { amountPerEp: 999 },
  { points: 6 },
  { awardedAt: 1_700_000_000_001 },
  { caps: { ...caps, perTx: 10_001 } },
  { caps: { ...caps, perPartnerDay: 1_000_001 } },
  { caps: { ...caps, perUserDay: 20_001 } },
  { partnerDayTotal: 106 },
  { userDayTotal: 26 },
]
for (const change of changes) {
  const [[field, value]] = Object.entries(change) as [[string, unknown]]
  test(`the hash changes with ${field} (${value instanceof Uint8Array ? 'other bytes' : JSON.stringify(value)})`, () => {
    assert.notEqual(hashOf(anEntry(change)), hashOf(anEntry()))
  })
}

test('every field of an entry is changed above, except the hash itself', () => {
  const changed = new Set(changes.flatMap((change) => Object.keys(change)))
  assert.deepEqual(
    Object.keys(anEntry()).filter((field) => !changed.has(field)),
    ['hash'],
  )
})

test('the fields of the account may be written beforehand', () => {
  const entry = anEntry()
  const commitment = personalCommitment(entry)
  const digest = entryDigest(entry, entry.caps, previous, commitment, accountFields(entry))
  assert.equal(Buffer.from(bytesOf(digest)).toString('hex'), hashOf(entry))
})

test('the hash changes with the previous hash, so that no entry can be taken out or moved', () => {
  assert.notEqual(hashOf(anEntry(), new Uint8Array(32)), hashOf(anEntry()))
})

test('the hash does not depend on the hash field', () => {
  assert.equal(hashOf(anEntry({ hash: previous })), hashOf(anEntry()))
})

// In the order of the hash; neighbors of one kind, between which a character could move unnoticed.
const neighbors: [string, string][] = [
  ['partnerId', 'tenantId'],
  ['tenantId', 'seq'],
  ['epTransactionId', 'orderId'],
  ['userEmail', 'note'],
  ['note', 'meta'],
  ['rawAmount', 'amountPerEp'],
  ['amountPerEp', 'points'],
  ['points', 'awardedAt'],
  ['partnerDayTotal', 'userDayTotal'],
]
for (const [left, right] of neighbors) {
  test(`a character moved between ${left} and ${right} changes the hash`, () => {
    const texts = fc.stringMatching(/^[1-9]{2,6}$/)
    fc.assert(
      fc.property(texts, texts, (a, b) => {
        const before = withTexts({ [left]: a, [right]: b })
        assert.notEqual(hashOf(withTexts({ [left]: a + b[0], [right]: b.slice(1) })), hashOf(before))
        assert.notEqual(hashOf(withTexts({ [left]: a.slice(0, -1), [right]: a.at(-1) + b })), hashOf(before))
      }),
    )
  })
}

test('an erased entry, its commitment in place of the personal data, keeps its hash', () => {
  const entry = anEntry()
  const commitment = personalCommitment(entry)
  const erased = { ...entry, commitment, salt: null, userEmail: 'erased-1', note: null, meta: null }
  assert.equal(hashOf(erased), hashOf(entry))
})

test('the same person in two entries has two commitments, because the salt differs', () => {
  const salts = fc.uint8Array({ minLength: 16, maxLength: 16 })
  fc.assert(
    fc.property(salts, salts, (a, b) => {
      fc.pre(Buffer.compare(a, b) !== 0)
      assert.notDeepEqual(personalCommitment(anEntry({ salt: a })), personalCommitment(anEntry({ salt: b })))
    }),
  )
})

test('lengths are counted in bytes, so letters beyond ASCII are covered whole', () => {
  assert.notEqual(hashOf(anEntry({ note: 'é', meta: 'a' })), hashOf(anEntry({ note: 'é', meta: 'b' })))
  const bytes = `01 00 00000000 01 00000001 ${hex('a')} 01 00000002 c3a9 00 00000000`
  const commitment = personalCommitment({ salt: null, userEmail: 'a', note: 'é', meta: null })
  assert.equal(Buffer.from(commitment).toString('hex'), sha256(bytes))
})

function hashOf(entry: Entry, previousHash = previous): string {
  return Buffer.from(entryHash(entry, previousHash)).toString('hex')
}

function withTexts(texts: Record<string, string>): Entry {
  const entry: Record<string, unknown> = { ...anEntry() }
  for (const [field, text] of Object.entries(texts)) {
    entry[field] = typeof entry[field] === 'number' ? Number(text) : text
  }
  return entry as Entry
}

function hex(text: string): string {
  return Buffer.from(text).toString('hex')
}

function sha256(spacedHex: string): string {
  return createHash('sha256')
    .update(Buffer.from(spacedHex.replaceAll(' ', ''), 'hex'))
    .digest('hex')
}
