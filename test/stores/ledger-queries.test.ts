import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { AccountDay } from '../../src/answers/ledger-queries.ts'
import { accountKey } from '../../src/rules/decide-batch.ts'
import type { Entry } from '../../src/rules/entry.ts'
import { addSums, noEntries, sumsOfEntry } from '../../src/rules/entry-sums.ts'
import { vietnamDay } from '../../src/rules/vietnam-day.ts'
import { awardTogether } from '../support/award-together.ts'
import { aQueriedLedger } from '../support/queries.ts'
import { integerBelow, oneOf, seededRandom } from '../support/seeded-random.ts'
import { anOrder } from '../support/sqlite-ledger.ts'
import type { StoreLedger } from '../support/store-ledger.ts'

const hour = 3_600_000
const accounts = [
  { partnerId: 'acme', tenantId: 't1' },
  { partnerId: 'acme', tenantId: 't2' },
  { partnerId: 'globex', tenantId: 't1' },
]
const users = ['ann@example.com', 'bob@example.com', 'lan@example.vn']

/** Some days of awards, at random. */
async function award(ledger: StoreLedger, random: () => number): Promise<Entry[]> {
  let number = 0
  for (let batch = 0; batch < 12; batch++) {
    ledger.clock.advance(integerBelow(random, 30) * hour)
    const orders = Array.from({ length: 1 + integerBelow(random, 6) }, () =>
      anOrder(`order-${number++}`, {
        ...oneOf(random, accounts),
        userEmail: oneOf(random, users),
        amount: 1000 + integerBelow(random, 20_000),
        note: random() < 0.5 ? 'a note' : null,
      }),
    )
    await awardTogether(ledger.store.ledger, orders)
  }
  const snapshot = await ledger.store.snapshot()
  try {
    return (await Array.fromAsync(snapshot.entries())).flat()
  } finally {
    await snapshot.close()
  }
}

/** Without a server that has followed the ledger, SQLite has no index of users. */
const slow = { say: () => {}, show: () => {} }

const dayOf = ({ awardedAt }: Entry) => vietnamDay(awardedAt)

function plainDays(entries: Entry[], isAsked: (entry: Entry) => boolean): AccountDay[] {
  const groups = Map.groupBy(entries.filter(isAsked), (entry) => `${accountKey(entry)} ${dayOf(entry)}`)
  return [...groups.values()].map((group) => {
    const { partnerId, tenantId } = group[0]!
    const seqs = group.map(({ seq }) => seq)
    const sums = group.map(sumsOfEntry).reduce(addSums, noEntries)
    const [firstSeq, lastSeq] = [Math.min(...seqs), Math.max(...seqs)]
    return { partnerId, tenantId, day: dayOf(group[0]!), firstSeq, lastSeq, ...sums }
  })
}

test('the days of accounts add up to their entries, for any period, partner and tenant', async (t) => {
  const ledger = await aQueriedLedger(t)
  const entries = await award(ledger, seededRandom(t))
  const days = [...new Set(entries.map(dayOf))].sort()
  const [first, last, middle] = [days[0]!, days.at(-1)!, days[Math.floor(days.length / 2)]!]
  const filters: [from: number, to: number, partnerId?: string | undefined, tenantId?: string][] = [
    [first, last],
    [first - 3, last + 3],
    [middle, middle],
    [middle, last, 'acme'],
    [first, middle, undefined, 't1'],
    [first, last, 'globex', 't1'],
    [first, last, 'globex', 't2'],
    [last + 1, last + 9],
  ]
  for (const [from, to, partnerId, tenantId] of filters) {
    const asked = ledger.queries.accountDays({ from, to, partnerId, tenantId })
    const isAsked = (entry: Entry) =>
      dayOf(entry) >= from &&
      dayOf(entry) <= to &&
      (partnerId ?? entry.partnerId) === entry.partnerId &&
      (tenantId ?? entry.tenantId) === entry.tenantId
    assert.deepEqual(
      (await Array.fromAsync(asked)).flat().map((day) => ({ ...day })),
      plainDays(entries, isAsked),
    )
  }
})

test('entries are found by order, by place and by range, exactly as they are', async (t) => {
  const ledger = await aQueriedLedger(t)
  const entries = await award(ledger, seededRandom(t))
  const { queries } = ledger
  for (const entry of entries) {
    assert.deepEqual(await queries.entryOfOrder(entry), entry)
    assert.deepEqual(await queries.entryAt(entry), entry)
  }
  const nowhere = { partnerId: 'acme', tenantId: 't1', seq: 9999 }
  assert.deepEqual(await queries.entriesAt([...entries, nowhere].reverse()), [
    undefined,
    ...entries.toReversed(),
  ])
  assert.equal(await queries.entryOfOrder({ partnerId: 'globex', orderId: 'nothing' }), undefined)
  assert.equal(await queries.entryAt(nowhere), undefined)
  const inT1 = entries.filter(({ partnerId, tenantId }) => partnerId === 'acme' && tenantId === 't1')
  const range = { partnerId: 'acme', tenantId: 't1', firstSeq: 2, lastSeq: inT1.length }
  assert.deepEqual((await Array.fromAsync(queries.entriesIn(range))).flat(), inT1.slice(1))
})

test("a user's entries come newest first and no others; the days and the highest totals agree with them", async (t) => {
  const ledger = await aQueriedLedger(t)
  const entries = await award(ledger, seededRandom(t))
  const { queries } = ledger
  for (const tenantId of ['t1', 't2']) {
    for (const userEmail of [...users, 'nobody@example.com']) {
      const own = entries.filter((entry) => entry.tenantId === tenantId && entry.userEmail === userEmail)
      const found = await queries.entriesOfAddress({ tenantId, userEmail }, 1000, slow)
      assert.deepEqual(
        new Set(found.map(({ orderId }) => orderId)),
        new Set(own.map(({ orderId }) => orderId)),
      )
      assert.equal(found.length, own.length)
      const times = found.map(({ awardedAt }) => awardedAt)
      assert.deepEqual(
        times,
        times.toSorted((a, b) => b - a),
      )
      assert.deepEqual(
        await queries.entriesOfAddress({ tenantId, userEmail }, 2, slow),
        found.slice(0, 2),
        'a limit gives the newest',
      )
      const days = await queries.userDays({ tenantId, userEmail })
      for (const { day, points } of days) {
        const ofDay = own.filter((entry) => dayOf(entry) === day).map(sumsOfEntry)
        assert.equal(points, ofDay.reduce(addSums, noEntries).points)
      }
      assert.equal(days.length, new Set(own.map(dayOf)).size)
    }
    for (const day of new Set(entries.map(dayOf))) {
      const ranges = (await Array.fromAsync(queries.accountDays({ tenantId, from: day, to: day }))).flat()
      const totals = await Promise.all(
        users.map(async (userEmail) => {
          const days = await queries.userDays({ tenantId, userEmail })
          return { userEmail, points: days.find((one) => one.day === day)?.points ?? 0 }
        }),
      )
      const expected = totals
        .filter(({ points }) => points > 0)
        .sort((a, b) => b.points - a.points || (a.userEmail < b.userEmail ? -1 : 1))
      const allRanges = (await Array.fromAsync(queries.accountDays({ from: day, to: day }))).flat()
      for (const asked of [ranges, allRanges]) {
        const highest = (await queries.highestUserDays(asked, 2)).get(tenantId) ?? []
        assert.deepEqual(
          highest.map((user) => ({ ...user })),
          expected.slice(0, 2),
        )
      }
    }
  }
})

test('days of an account whose head is beyond its entries are not given as if they were all, and the account is named', async (t) => {
  const { store, queries, raw, clock } = await aQueriedLedger(t)
  await awardTogether(store.ledger, [anOrder('A1'), anOrder('A2')])
  const day = vietnamDay(clock.now())
  for (const seq of [9, 1_000_000_000, Number.MAX_SAFE_INTEGER]) {
    await raw.run(`UPDATE accounts SET seq = ${seq} WHERE partner_id = 'acme' AND seq > 0`)
    await assert.rejects(Array.fromAsync(queries.accountDays({ from: day, to: day })), {
      message: new RegExp(`^acme/t1: its head is #${seq}, but there is no #\\d+: run verify$`),
    })
  }
  await raw.run("UPDATE accounts SET seq = 9223372036854775807 WHERE partner_id = 'acme' AND seq > 0")
  const beyond = { message: /^a row.* cannot be read: it holds 9223372036854775807, / }
  await assert.rejects(Array.fromAsync(queries.accountDays({ from: day, to: day })), beyond)
  await assert.rejects(queries.accounts({}), beyond)
})

test('questions cannot write, and read while awards are made', async (t) => {
  const { store, queries, raw } = await aQueriedLedger(t)
  const dump = async () =>
    Promise.all(
      ['entries', 'accounts', 'user_days', 'audit'].map((table) => raw.rows(`SELECT * FROM ${table}`)),
    )
  await awardTogether(store.ledger, [anOrder('A1')])
  const before = await dump()
  assert.deepEqual(
    (await queries.partners()).sound.map(({ partnerId }) => partnerId),
    ['acme', 'globex'],
  )
  assert.doesNotMatch(JSON.stringify(await queries.partners()), /sealedSecret|apiKeyHash/)
  await Array.fromAsync(queries.auditRows({}))
  await Array.fromAsync(queries.accountDays({ from: 0, to: 99_999 }))
  assert.deepEqual(await dump(), before)
  await awardTogether(store.ledger, [anOrder('A2')])
  assert.notEqual(await queries.entryOfOrder({ partnerId: 'acme', orderId: 'A2' }), undefined)
})
