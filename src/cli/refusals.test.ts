import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { aFolder, complaintOf, database, textOf } from '../../test/support/command-line.ts'
import type { Lifetime } from '../../test/support/service.ts'
import type { JournalBatch } from '../journal/journal-batch.ts'
import { openJournalWriter } from '../stores/sqlite/journal-writer.ts'

const hourMs = 3_600_000

/** A ledger whose servers have seen some refusals: two by a cap an hour ago, one a month ago, one of nobody's key. */
async function aJournal(t: Lifetime) {
  const folder = await aFolder(t)
  const now = Date.now()
  const writer = openJournalWriter(join(folder.cwd, database), { refusalDays: 60, warn: () => {} })
  const seen = { partnerId: 'acme', tenantId: 't1', endpoint: 'award' } as const
  const byCap = { ...seen, code: 'DAILY_CAP_EXCEEDED', detail: 'perPartnerDay' } as const
  const minuteOf = (at: number) => at - (at % 60_000)
  const refusal = {
    ...seen,
    keyId: folder.acme.keyId,
    code: 'DAILY_CAP_EXCEEDED',
    cap: 'perPartnerDay',
    limit: 100,
    requested: 7,
    used: 95,
    orderFingerprint: null,
  } as const
  const nobody = {
    ...seen,
    partnerId: '(unknown)',
    tenantId: '(unknown)',
    code: 'INVALID_SIGNATURE',
  } as const
  const batch: JournalBatch = {
    node: 'node-1',
    number: 1,
    at: now,
    since: now,
    counts: [
      { ...byCap, minute: minuteOf(now - hourMs), responses: 2, points: 14 },
      { ...byCap, minute: minuteOf(now - 720 * hourMs), responses: 1, points: 7 },
      { ...nobody, detail: '', minute: minuteOf(now - hourMs), responses: 9, points: 0 },
      { ...seen, code: 'CREDITED', detail: '', minute: minuteOf(now - hourMs), responses: 50, points: 90 },
      { ...seen, code: 'DUPLICATE', detail: 'within 1 s', minute: minuteOf(now), responses: 4, points: 9 },
      { ...seen, code: 'DUPLICATE', detail: 'within 1 h', minute: minuteOf(now), responses: 1, points: 2 },
    ],
    replays: [],
    refusals: [
      { ...refusal, at: now - hourMs, requestId: 'request-1' },
      { ...refusal, at: now - 2 * hourMs, requestId: 'request-2' },
      { ...refusal, at: now - 720 * hourMs, requestId: 'request-of-old' },
    ],
    keyUses: [{ keyId: folder.acme.keyId, partnerId: 'acme', at: now - hourMs, clockDifferenceMs: -75_000 }],
  }
  await writer.write(batch)
  await writer.close()
  return folder
}

describe('the command refusals', { concurrency: 3 }, () => {
  test('prints counts, then rows, and how soon replays came', async (t) => {
    const { run, json } = await aJournal(t)
    const answer = await json('refusals')
    assert.equal(answer.total, 11)
    assert.deepEqual(
      answer.counts.map(({ partnerId, code, cap, refusals, points }: Record<string, unknown>) => [
        ...[partnerId, code, cap, refusals, points],
      ]),
      [
        ['(unknown)', 'INVALID_SIGNATURE', null, 9, 0],
        ['acme', 'DAILY_CAP_EXCEEDED', 'perPartnerDay', 2, 14],
      ],
    )
    assert.deepEqual(answer.replays, [
      { age: 'within 1 s', replays: 4 },
      { age: 'within 1 h', replays: 1 },
    ])
    assert.deepEqual(
      answer.rows.map(({ requestId }: { requestId: string }) => requestId),
      ['request-1', 'request-2'],
    )
    const text = textOf(await run('refusals'))
    assert.match(text, /^11 refusals since /)
    assert.match(text, /^acme +DAILY_CAP_EXCEEDED +perPartnerDay +2 +14$/m)
    assert.match(text, /^5 replays of credited orders: 4 within 1 s, 1 within 1 h$/m)
    assert.match(text, /perPartnerDay is 100 EP, used 95, requested 7/)
  })

  test('is narrowed by partner, tenant, code and time', async (t) => {
    const { json } = await aJournal(t)
    const narrowed = async (...args: string[]) => {
      const { total, rows } = await json('refusals', ...args)
      return [total, rows.length]
    }
    assert.deepEqual(await narrowed('--partner', 'acme'), [2, 2])
    assert.deepEqual(await narrowed('--partner', '(unknown)'), [9, 0])
    assert.deepEqual(await narrowed('--since', '40d', '--code', 'daily_cap_exceeded'), [3, 3])
    assert.deepEqual(await narrowed('--since', '200d', '--partner', 'acme', '--limit', '1'), [3, 1])
    assert.deepEqual(await narrowed('--since', '40d', '--until', '3d', '--partner', 'acme'), [1, 1])
    assert.deepEqual(await narrowed('--until', '90m', '--tenant', 't1'), [0, 1])
  })

  test('has exit code 3 if nothing was refused, also before the first server', async (t) => {
    const { run } = await aJournal(t)
    const none = await run('refusals', '--code', 'PER_TX_CAP_EXCEEDED')
    assert.deepEqual([none.code, none.stderr], [3, ''])
    assert.match(none.stdout, /^nothing was refused since /)
    const fresh = await aFolder(t)
    assert.equal((await fresh.run('refusals')).code, 3)
  })

  test('a wrong partner, code or time gets an error that says what was meant', async (t) => {
    const { run } = await aJournal(t)
    assert.match(complaintOf(await run('refusals', '--partner', 'acne'), 1), /did you mean "acme"/)
    assert.match(complaintOf(await run('refusals', '--code', 'DAILY_CAP_EXCEDED'), 2), /DAILY_CAP_EXCEEDED/)
    assert.match(complaintOf(await run('refusals', '--since', 'yesteryear'), 2), /24h/)
    const backwards = await run('refusals', '--since', 'today', '--until', '2020-01-01')
    assert.match(complaintOf(backwards, 1), /ends before it begins/)
  })

  test("key list and partner show have each key's last use, and how wrong its caller's clock is", async (t) => {
    const { run, json, acme } = await aJournal(t)
    const [key] = await json('key', 'list', 'acme')
    assert.equal(key.clockDifferenceMs, -75_000)
    assert.match(key.lastUsedAt, /^\d{4}-/)
    const line = new RegExp(`^${acme.keyId} +${key.lastUsedAt} +75 s slow$`, 'm')
    assert.match(textOf(await run('key', 'list', 'acme')), line)
    assert.match(textOf(await run('partner', 'show', 'acme')), line)
    assert.equal((await json('partner', 'show', 'acme')).keys[0].clockDifferenceMs, -75_000)
  })
})
