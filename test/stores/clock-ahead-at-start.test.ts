import { deepEqual, equal } from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import type { JournalBatch } from '../../src/journal/journal-batch.ts'
import { openJournal } from '../../src/stores/open.ts'
import { eventually } from '../support/eventually.ts'
import { anOperatorStore } from '../support/operator-accounts.ts'
import { aJournalWriter, always } from '../support/service-journal.ts'
import { aStoreLedger, type StoreLedger } from '../support/store-ledger.ts'
import { aNoon } from '../support/test-clock.ts'
import { withRaw } from '../support/transfers.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const tenYearsLater = aNoon + 3_650 * dayMs

/** One refusal, of this process. */
function aBatch(node: string, number: number, at: number): JournalBatch {
  const refused = {
    partnerId: 'acme',
    tenantId: 't1',
    endpoint: 'award',
    code: 'DAILY_CAP_EXCEEDED',
  } as const
  const cap = { cap: 'perUserDay', limit: 8, requested: 5, used: null } as const
  return {
    node,
    number,
    at,
    since: at,
    counts: [{ ...refused, detail: 'perUserDay', minute: at - (at % 60_000), responses: 1, points: 5 }],
    refusals: [
      { ...refused, ...cap, at, keyId: null, requestId: `${node} ${number}`, orderFingerprint: null },
    ],
    replays: [],
    keyUses: [],
  }
}

/** How many minutes, hours and refusals the journal has of before. */
async function keptOf({ database }: StoreLedger, before: number) {
  const journal = await openJournal(database)
  try {
    const starts = async (span: 'minute' | 'hour') =>
      (await journal.counts({ span, ...always, by: ['start'] })).filter(({ start }) => start! < before).length
    const refusals = (await journal.refusals({ from: 0, limit: 10_000 })).filter(
      ({ at }) => at < before,
    ).length
    return [await starts('minute'), await starts('hour'), refusals]
  } finally {
    await journal.close()
  }
}

/** The file beside an embedded ledger has the journal. */
function operatorTablesOf({ database }: StoreLedger) {
  return database.kind === 'sqlite' ? { ...database, path: `${database.path}-operator` } : database
}

/** By which time rows were last called too old. */
async function reachedIn(ledger: StoreLedger): Promise<number> {
  return withRaw(operatorTablesOf(ledger), async (raw) => {
    const [row] = await raw.rows(`SELECT at FROM journal_nodes WHERE node = '(retention)'`)
    return Number(row?.at)
  })
}

/** `writeAt` writes a batch of this process. */
async function aProcess(t: TestContext, { store }: StoreLedger, node: string) {
  const writer = aJournalWriter(t, store, (warning) => t.diagnostic(warning))
  let number = 0
  await writer.storedKey(new Uint8Array(32)) // as every server does first
  return { writeAt: (at: number) => writer.write(aBatch(node, ++number, at)), close: () => writer.close() }
}

test('a process that is started before its machine knows the time does not keep old rows of the journal for years', async (t) => {
  const ledger = await aStoreLedger(t)
  const first = await aProcess(t, ledger, 'first')
  await first.writeAt(aNoon)
  await eventually('the first look', async () => (await reachedIn(ledger)) === aNoon)
  await first.close()
  const early = await aProcess(t, ledger, 'early')
  for (const minutes of [0, 1, 2]) await early.writeAt(dayMs + minutes * 60_000)
  await early.close()
  equal(await reachedIn(ledger), aNoon)
})

test('nor does it if it is the first one of a new ledger', async (t) => {
  const ledger = await aStoreLedger(t)
  const early = await aProcess(t, ledger, 'early')
  await early.writeAt(dayMs)
  await eventually('the first look', async () => (await reachedIn(ledger)) > 0)
  await early.close()
  const right = await aProcess(t, ledger, 'right')
  for (const minutes of [0, 1, 2]) await right.writeAt(aNoon + minutes * 60_000)
  await eventually('it has caught up', async () => (await reachedIn(ledger)) >= aNoon)
  await right.close()
})

test('a process that is started with a clock ten years ahead deletes about a day of the journal per hour, until the clock is right', async (t) => {
  const ledger = await aStoreLedger(t)
  const kept = () => keptOf(ledger, tenYearsLater)
  const first = await aProcess(t, ledger, 'first')
  const days = [20, 5, 0]
  for (const day of days) await first.writeAt(aNoon - day * dayMs)
  // Its look at an earlier day deletes the oldest minute, too, but the days below count from noon.
  await eventually('the oldest minute is gone', async () => {
    await first.writeAt(aNoon)
    return (await reachedIn(ledger)) === aNoon && String((await kept()).slice(0, 2)) === '2,3'
  })
  await first.close()
  const [, , refusals] = await kept()

  // Each of them might trust what the one before has written.
  for (const node of ['second', 'third']) {
    const ahead = await aProcess(t, ledger, node)
    for (const minutes of [0, 1, 2]) await ahead.writeAt(tenYearsLater + minutes * 60_000)
    await ahead.close()
    deepEqual(await kept(), [2, 3, refusals])
  }

  const ahead = await aProcess(t, ledger, 'fourth')
  const before = await reachedIn(ledger)
  await ahead.writeAt(tenYearsLater)
  // It measures how long it runs from its first look at what is too old, which may come after the next batch.
  await eventually('the first look', async () => (await reachedIn(ledger)) !== before)
  await ahead.writeAt(tenYearsLater + 4 * hourMs)
  await eventually('what is too old four days later is gone', async () => {
    await ahead.writeAt(tenYearsLater + 4 * hourMs + 1)
    return String(await kept()) === `1,3,${refusals}`
  })
  await ahead.close()

  const right = await aProcess(t, ledger, 'fifth')
  for (const minutes of [1, 2, 3]) await right.writeAt(aNoon + minutes * 60_000)
  await right.close()
  deepEqual(await kept(), [4, 3, refusals! + 3])
})

test('the access log and past alerts outlive a process that is started with a clock ten years ahead', async (t) => {
  const ledger = await aStoreLedger(t)
  const { sessions } = await anOperatorStore(t, ledger)
  const writer = aJournalWriter(t, ledger.store)
  await writer.write(aBatch('first', 1, aNoon))
  const read = { kind: 'read', actor: 'operator:mai', address: '', action: 'x', subject: null } as const
  await sessions.recordAccess({ ...read, at: aNoon, requestId: 'r' })
  await withRaw(operatorTablesOf(ledger), async (raw) => {
    await raw.run(`INSERT INTO alerts (identity, kind, partner_id, tenant_id, key_id, occasion, facts, raised_at, held_at, ended_at)
      VALUES ('past', 'partnerCapNear', 'acme', 't1', NULL, '', '{}', ${aNoon}, ${aNoon}, ${aNoon})`)
    await writer.checkAlerts(tenYearsLater)
    await writer.checkAlerts(tenYearsLater + 60_000)
    await sessions.tidy(tenYearsLater)
    await sessions.tidy(tenYearsLater + 60_000)
    equal((await raw.rows('SELECT * FROM alerts')).length, 1)
    equal((await sessions.accessLog({ limit: 9 })).length, 1)
  })
})
