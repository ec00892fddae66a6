import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type AuditEvent, type AuditRow, emptyAuditHead, nextAuditRow } from '../rules/audit-hash.ts'
import { builtInCaps } from '../rules/caps.ts'
import { capOrigins } from './cap-origins.ts'

const hour = 3_600_000
const start = Date.parse('2026-11-15T05:00:00Z')

/** One row an hour: the subject and what it was changed to. */
function trail(...changes: [subject: string, after: object][]): AuditRow[] {
  let head = emptyAuditHead
  return changes.map(([subject, after], index) => {
    const event: AuditEvent = {
      at: start + index * hour,
      actor: `op-${index + 1}`,
      action: 'changed',
      subject,
      before: null,
      after: JSON.stringify(after),
      reason: `ticket ${index + 1}`,
      origin: 'command line',
      address: null,
    }
    const row = nextAuditRow(head, event)
    head = { seq: row.auditSeq, hash: row.hash }
    return row
  })
}

const acme = (perTx: number | null, inT1: number | null) => ({
  perTx,
  perPartnerDay: null,
  grants: [{ tenantId: 't1', perTx: inT1, perPartnerDay: null }],
})
const t1 = (perUserDay: number | null) => ({ tenantId: 't1', perUserDay })
const defaults = (perTx: number) => ({ ...builtInCaps, perTx, setAt: start })

const rows = trail(
  ['defaults', defaults(100)],
  ['tenant t1', t1(null)],
  ['partner acme', acme(null, null)],
  ['partner acme', acme(50, null)],
  ['partner acme', acme(50, 20)],
  ['tenant t1', t1(7)],
  ['partner acme', acme(null, null)],
  ['defaults', defaults(200)],
  ['tenant t2', t1(9)],
)

function originAt(hours: number, caps: Partial<typeof builtInCaps>) {
  const at = start + hours * hour
  return capOrigins(rows, { tenantId: 't1' }, { caps: { ...builtInCaps, ...caps }, at })
}

test('a cap comes from the narrowest place that had a value at that time, and from the change that set it', () => {
  const cases: [hours: number, perTx: number, from: string, auditSeq: number][] = [
    [2.5, 100, 'default', 1],
    [3.5, 50, 'partner', 4],
    [4.5, 20, 'partner in tenant', 5],
    [6.5, 100, 'default', 1],
    [7.5, 200, 'default', 8],
  ]
  for (const [hours, perTx, from, auditSeq] of cases) {
    const origin = originAt(hours, { perTx }).perTx!
    assert.deepEqual([origin.from, origin.change!.auditSeq], [from, auditSeq], `after ${hours} h`)
    assert.deepEqual(origin.change!.reason, `ticket ${auditSeq}`)
  }
  const perUserDay = originAt(8.5, { perUserDay: 7 }).perUserDay!
  assert.deepEqual([perUserDay.from, perUserDay.change!.auditSeq], ['tenant', 6], "not another tenant's")
})

test('an award decided a moment before or after a change, by clocks that differ, still finds its cap', () => {
  assert.equal(originAt(2.99, { perTx: 50 }).perTx!.change!.auditSeq, 4)
  assert.equal(originAt(3.05, { perTx: 100 }).perTx!.change!.auditSeq, 1)
})

test('a value that the trail does not know at that time is not recorded', () => {
  assert.equal(originAt(3.5, { perTx: 51 }).perTx, null)
  assert.equal(originAt(3.5, { perTx: 100 }).perTx, null, 'it was so, but half an hour before')
  assert.equal(originAt(-5, { perTx: 100 }).perTx, null, 'before the trail began')
})

test('a default that is set to its built-in value comes from that change', () => {
  const seeded = trail(['defaults', { ...builtInCaps, setAt: start }])
  const origin = capOrigins(seeded, { tenantId: 't1' }, { caps: builtInCaps, at: start }).perUserDay!
  assert.equal(origin.change!.auditSeq, 1)
})

test('a built-in default that nobody has set has no change', () => {
  const caps = { ...builtInCaps }
  const fresh = trail(['partner acme', acme(null, null)])
  assert.deepEqual(capOrigins(fresh, { tenantId: 't1' }, { caps, at: start }).perTx, {
    from: 'default',
    change: null,
  })
})
