import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { lastUses } from '../../src/answers/key-uses.ts'
import type { JournalBatch } from '../../src/journal/journal-batch.ts'
import type { JournalReader } from '../../src/journal/journal-reader.ts'
import { isoTime } from '../../src/rules/iso-time.ts'
import { dayMs } from '../../src/rules/vietnam-day.ts'
import { openJournal } from '../../src/stores/open.ts'
import { aJournalWriter, always } from '../support/service-journal.ts'
import { aStoreLedger } from '../support/store-ledger.ts'
import { aNoon } from '../support/test-clock.ts'

const count = {
  partnerId: 'acme',
  tenantId: 't1',
  endpoint: 'award',
  code: 'DAILY_CAP_EXCEEDED',
  detail: 'perUserDay',
  responses: 3,
  points: 15,
} as const
const refusal = {
  at: aNoon,
  partnerId: 'acme',
  keyId: 'key_1',
  tenantId: 't1',
  endpoint: 'award',
  code: 'DAILY_CAP_EXCEEDED',
  cap: 'perUserDay',
  limit: 8,
  requested: 5,
  used: null,
  requestId: 'r1',
  orderFingerprint: 'f1',
} as const

const order = { orderFingerprint: 'f1', partnerId: 'acme' } as const
const replays = { ...order, keyId: 'key_1', replays: 2, firstAt: aNoon - 700, lastAt: aNoon } as const

function aBatch(number: number, overrides: Partial<JournalBatch> = {}): JournalBatch {
  return {
    node: 'node-1',
    number,
    at: aNoon,
    since: aNoon - 800,
    counts: [{ ...count, minute: aNoon }],
    refusals: [refusal],
    replays: [replays],
    keyUses: [{ keyId: 'key_1', partnerId: 'acme', at: aNoon, clockDifferenceMs: 5 }],
    ...overrides,
  }
}

async function read<T>(
  { database }: { database: Parameters<typeof openJournal>[0] },
  ask: (journal: JournalReader) => Promise<T>,
): Promise<T> {
  const journal = await openJournal(database)
  try {
    return await ask(journal)
  } finally {
    await journal.close()
  }
}

test('a batch that is written again, because its outcome was unknown, is counted once', async (t) => {
  const ledger = await aStoreLedger(t)
  const writer = aJournalWriter(t, ledger.store)
  for (const number of [1, 1, 2, 1, 2]) await writer.write(aBatch(number))
  await writer.write(aBatch(1, { node: 'node-2' }))
  await writer.close()
  deepEqual(await read(ledger, (journal) => journal.counts({ span: 'day', ...always, by: [] })), [
    { responses: 9, points: 45 },
  ])
  equal((await read(ledger, (journal) => journal.refusals({ from: 0, limit: 10 }))).length, 3)
  const { records } = await read(ledger, (journal) => journal.replays(order))
  deepEqual(
    records.map((record) => record.replays),
    [4, 2],
    'by process',
  )
})

test('a batch that spans two minutes, hours and days is divided between them', async (t) => {
  const ledger = await aStoreLedger(t)
  const writer = aJournalWriter(t, ledger.store)
  const midnight = Date.parse('2026-11-15T17:00:00.000Z')
  const minutes = [midnight - 120_000, midnight - 60_000, midnight]
  const at = midnight
  await writer.write(aBatch(1, { at, counts: minutes.map((minute) => ({ ...count, minute })) }))
  await writer.close()
  const starts = (span: 'minute' | 'hour' | 'day') =>
    read(ledger, async (journal) => {
      const sums = await journal.counts({ span, ...always, by: ['start'] })
      return sums.map(({ start, responses }) => [start, responses])
    })
  deepEqual(
    await starts('minute'),
    minutes.map((minute) => [minute, 3]),
  )
  deepEqual(await starts('hour'), [
    [midnight - 3_600_000, 6],
    [midnight, 3],
  ])
  deepEqual(await starts('day'), [
    [midnight - 86_400_000, 6],
    [midnight, 3],
  ])
})

test('EP that add up to more than a number can be are answered with the largest number, and hide nothing else', async (t) => {
  const ledger = await aStoreLedger(t)
  const writer = aJournalWriter(t, ledger.store)
  const huge = { ...count, minute: aNoon, points: Number.MAX_SAFE_INTEGER }
  const counts = [
    huge,
    { ...huge, code: 'PER_TX_CAP_EXCEEDED' as const },
    { ...huge, partnerId: 'globex', points: 7 },
  ]
  await writer.write(aBatch(1, { counts }))
  await writer.close()
  const sums = await read(ledger, (journal) => journal.counts({ span: 'day', ...always, by: ['partnerId'] }))
  deepEqual(
    sums.map(({ partnerId, points }) => [partnerId, points]),
    [
      ['acme', Number.MAX_SAFE_INTEGER],
      ['globex', 7],
    ],
  )
})

test('a use that a process with a clock far ahead recorded gives way to the next one', async (t) => {
  const ledger = await aStoreLedger(t)
  const writer = aJournalWriter(t, ledger.store)
  const use = { keyId: 'key_1', partnerId: 'acme', clockDifferenceMs: -5 }
  const tenYearsLater = aNoon + 10 * 365 * dayMs
  const lastUse = async (now = aNoon + 60_000) => read(ledger, (journal) => lastUses(journal, 'acme', now))
  await writer.write(aBatch(1, { node: 'ahead', keyUses: [{ ...use, at: tenYearsLater }] }))
  equal((await lastUse())('key_1').lastUsedAt, isoTime(tenYearsLater), 'nothing better is known')
  await writer.write(aBatch(1, { node: 'next', keyUses: [{ ...use, at: aNoon }] }))
  await writer.write(aBatch(1, { node: 'little ahead', keyUses: [{ ...use, at: aNoon + 61_000 }] }))
  equal((await lastUse())('key_1').lastUsedAt, isoTime(aNoon + 61_000))
  for (const day of [1, 2, 3, 4]) {
    await writer.write(aBatch(1 + day, { node: 'next', at: aNoon + day * dayMs, keyUses: [] }))
  }
  await writer.close()
  equal((await lastUse(aNoon + 4 * dayMs))('key_1').lastUsedAt, isoTime(aNoon + 61_000), 'it is kept')
})

test('a clock difference that a process with a clock far ahead recorded raises no alert once its clock is right', async (t) => {
  const ledger = await aStoreLedger(t)
  const writer = aJournalWriter(t, ledger.store)
  const tenYears = 10 * 365 * dayMs
  const use = { keyId: 'key_1', partnerId: 'acme' }
  const ahead = { ...use, at: aNoon + tenYears, clockDifferenceMs: -tenYears }
  await writer.write(aBatch(1, { node: 'ahead', keyUses: [ahead] }))
  await writer.write(aBatch(1, { node: 'next', keyUses: [{ ...use, at: aNoon, clockDifferenceMs: 5 }] }))
  deepEqual((await writer.checkAlerts(aNoon + 1_000)).begun, [])
  const off = { ...use, at: aNoon + 2_000, clockDifferenceMs: -90_000 }
  await writer.write(aBatch(2, { node: 'next', keyUses: [off] }))
  deepEqual(
    (await writer.checkAlerts(aNoon + 3_000)).begun.map(({ kind }) => kind),
    ['clockOff'],
  )
})

test('the first key stays, until it is replaced', async (t) => {
  const { store } = await aStoreLedger(t)
  const writer = aJournalWriter(t, store)
  const [first, second] = [Uint8Array.of(1, 2), Uint8Array.of(3)]
  const stored = async (key: Uint8Array, replace: boolean) => [...(await writer.storedKey(key, { replace }))]
  deepEqual(await stored(first, false), [1, 2])
  deepEqual(await stored(second, false), [1, 2])
  deepEqual(await stored(second, true), [3])
  await writer.close()
})

test('refusals are found by request, order, partner and code, newest first', async (t) => {
  const ledger = await aStoreLedger(t)
  const writer = aJournalWriter(t, ledger.store)
  const refusals = [
    refusal,
    { ...refusal, at: aNoon + 1, requestId: 'r2', partnerId: 'globex' },
    { ...refusal, at: aNoon + 2, requestId: 'r3', code: 'RATE_LIMITED', orderFingerprint: null },
  ] as const
  await writer.write(aBatch(1, { at: aNoon + 3, refusals: [...refusals] }))
  await writer.close()
  const found = (query: Partial<Parameters<JournalReader['refusals']>[0]>) =>
    read(ledger, async (journal) => {
      const rows = await journal.refusals({ from: 0, limit: 10, ...query })
      return rows.map(({ requestId }) => requestId)
    })
  deepEqual(await found({}), ['r3', 'r2', 'r1'])
  deepEqual(await found({ limit: 1 }), ['r3'])
  deepEqual(await found({ from: aNoon + 2 }), ['r3'])
  deepEqual(await found({ requestId: 'r2' }), ['r2'])
  deepEqual(await found({ orderFingerprint: 'f1' }), ['r2', 'r1'])
  deepEqual(await found({ partnerId: 'acme', code: 'DAILY_CAP_EXCEEDED' }), ['r1'])
  deepEqual(await read(ledger, (journal) => journal.refusals({ from: 0, limit: 1, requestId: 'r1' })), [
    refusal,
  ])
})

test('replays are found by order and partner, and those left out by partner; the first batch says since when', async (t) => {
  const ledger = await aStoreLedger(t)
  const writer = aJournalWriter(t, ledger.store)
  await writer.storedKey(Uint8Array.of(1))
  const onRecord = () => read(ledger, (journal) => journal.replays(order))
  deepEqual(await onRecord(), { since: null, records: [], lastLeftOutAt: null })
  const later = { replays: 1, firstAt: aNoon + 5, lastAt: aNoon + 9 }
  const others = [
    { ...replays, partnerId: 'globex' },
    { ...replays, orderFingerprint: 'f2' },
    { ...later, partnerId: 'globex', orderFingerprint: null, keyId: null },
  ]
  await writer.write(aBatch(1, { replays: [replays, ...others] }))
  const first = { since: aNoon - 800, records: [replays], lastLeftOutAt: null }
  deepEqual(await onRecord(), first)

  const missing = { ...later, partnerId: 'acme', orderFingerprint: null, keyId: null }
  await writer.write(
    aBatch(2, { since: aNoon, replays: [{ ...replays, ...later }, { ...replays, keyId: 'key_2' }, missing] }),
  )
  const { since, records, lastLeftOutAt } = await onRecord()
  deepEqual([since, lastLeftOutAt], [aNoon - 800, aNoon + 9])
  deepEqual(records, [
    { ...replays, replays: 3, lastAt: aNoon + 9 },
    { ...replays, keyId: 'key_2' },
  ])

  await writer.storedKey(Uint8Array.of(2), { replace: true })
  equal((await onRecord()).since, null, 'with another key, none of them can be found')
  await writer.write(aBatch(3, { since: aNoon + 800, replays: [] }))
  await writer.close()
  equal((await onRecord()).since, aNoon + 800)
})
