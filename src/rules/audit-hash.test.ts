import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { test } from 'node:test'
import { type AuditRow, auditHash, emptyAuditHead, nextAuditRow } from './audit-hash.ts'

const event = {
  at: 1_763_182_800_000,
  actor: 'cli:mai',
  action: 'tenant caps',
  subject: 'tenant t1',
  before: null,
  after: '{"perUserDay":5}',
  reason: 'ticket 7',
  origin: 'command line',
  address: 'db-1',
}

test('rows are numbered from 1, and each has the hash of the one before', () => {
  const first = nextAuditRow(emptyAuditHead, event)
  const second = nextAuditRow({ seq: first.auditSeq, hash: first.hash }, event)
  assert.deepEqual([first.auditSeq, second.auditSeq], [1, 2])
  assert.deepEqual(first.previousHash, new Uint8Array(32))
  assert.deepEqual(second.previousHash, first.hash)
  assert.notDeepEqual(second.hash, first.hash)
})

test('the hash is the SHA-256 of a version byte and every field with its length in front', () => {
  const { previousHash } = nextAuditRow(emptyAuditHead, event)
  const fields = [
    previousHash,
    '1',
    String(event.at),
    event.actor,
    event.action,
    event.subject,
    null,
    event.after,
    event.reason,
    event.origin,
    event.address,
  ]
  const digest = createHash('sha256').update(Uint8Array.of(1))
  for (const field of fields) {
    const bytes = Buffer.from(field ?? '')
    const header = Buffer.alloc(5)
    header.writeUInt8(field === null ? 0 : 1)
    header.writeUInt32BE(bytes.length, 1)
    digest.update(header).update(bytes)
  }
  assert.deepEqual(Buffer.from(nextAuditRow(emptyAuditHead, event).hash), digest.digest())
})

const changes: Partial<AuditRow>[] = [
  { auditSeq: 2 },
  { previousHash: new Uint8Array(32).fill(1) },
  { at: 1 },
  { actor: 'cli:an' },
  { action: 'tenant create' },
  { subject: 'tenant t2' },
  { before: '{}' },
  { after: '{"perUserDay":6}' },
  { reason: null },
  { reason: '' },
  { origin: 'api' },
  { address: null },
]
for (const change of changes) {
  const [[field, value]] = Object.entries(change) as [[string, unknown]]
  test(`the hash changes with ${field} (${value instanceof Uint8Array ? 'other bytes' : JSON.stringify(value)})`, () => {
    const row = nextAuditRow(emptyAuditHead, event)
    assert.notDeepEqual(auditHash({ ...row, ...change }), row.hash)
  })
}

test('every field of a row is changed above, except the hash itself', () => {
  const changed = new Set(changes.flatMap((change) => Object.keys(change)))
  const unchanged = Object.keys(nextAuditRow(emptyAuditHead, event)).filter((field) => !changed.has(field))
  assert.deepEqual(unchanged, ['hash'])
})
