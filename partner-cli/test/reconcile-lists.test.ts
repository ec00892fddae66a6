import { deepEqual, equal, ok } from 'node:assert/strict'
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { temporaryFolder } from '../../test/support/service.ts'
import { integerBelow, oneOf, type Random, seededRandom } from '../../test/support/seeded-random.ts'
import type { AwardHistoryItem } from '../../sdk/src/index.ts'
import type { FindingKind, Order } from '../src/reconcile/finding.ts'
import { reconcileLists } from '../src/reconcile/reconcile-lists.ts'
import { partOf } from '../src/reconcile/spill.ts'
import { differences, type Totals } from '../src/reconcile/totals.ts'

type Lists = {
  orders: Order[]
  awards: AwardHistoryItem[]
  range: { from: number | null; to: number | null }
}
/** What is compared with the oracle: which finding, and where. */
type Found = { finding: FindingKind; at: number }

const hour = 3_600_000

function randomLists(random: Random): Lists {
  const ids = integerBelow(random, 12) + 1
  // Mostly in one spelling: most rows must meet their award.
  const spellings = ['order-', 'order-', 'order-', 'order-', 'order-0', ' Order-']
  const orderId = () => `${oneOf(random, spellings)}${integerBelow(random, ids)}`
  const email = () => oneOf(random, ['ann@example.com', 'bob@example.com'])
  const points = () => integerBelow(random, 3)
  const orders = Array.from({ length: integerBelow(random, 20) }, (_, index): Order => {
    const line = 2 + index * 3
    const chance = random()
    if (chance < 0.05)
      return {
        line,
        orderId: null,
        userEmail: null,
        amount: null,
        points: 0,
        problem: 'has no order',
        mayBeCutOff: false,
      }
    if (chance < 0.15)
      return {
        line,
        orderId: orderId(),
        userEmail: email(),
        amount: null,
        points: 0,
        problem: 'has no amount',
        mayBeCutOff: false,
      }
    return {
      line,
      orderId: orderId(),
      userEmail: chance < 0.3 ? null : email(),
      amount: null,
      points: points(),
      problem: null,
      mayBeCutOff: false,
    }
  })
  const count = integerBelow(random, 20)
  const awards = Array.from({ length: count }, (_, position) => ({
    epTransactionId: `transaction-${position}`,
    orderId: random() < 0.05 ? null : orderId(),
    userEmail: email(),
    points: points() + (random() < 0.2 ? 1 : 0),
    note: null,
    awardedAt: new Date((count - position) * hour).toISOString(),
  }))
  const bound = () => (random() < 0.5 ? null : integerBelow(random, 20) * hour)
  return { orders, awards, range: { from: bound(), to: bound() } }
}

function isAlike(order: Order, award: Pick<AwardHistoryItem, 'points' | 'userEmail'>): boolean {
  return award.points === order.points && [null, award.userEmail].includes(order.userEmail)
}

/** The rules once more, each looked up in the whole lists: slow, and hard to get wrong. */
function naively({ orders, awards, range }: Lists): {
  found: Found[]
  /** The awards that no row with their orderId has with their values. */
  notMatched: Map<number, AwardHistoryItem>
  matched: number
  belowMinimum: number
} {
  const read = awards.filter(({ awardedAt }) => range.from === null || Date.parse(awardedAt) >= range.from)
  const good = orders.filter(({ problem }) => problem === null)
  const firstRow = (id: string | null) => good.find(({ orderId }) => orderId === id)
  const firstAward = (id: string | null) => read.findLast(({ orderId }) => orderId === id)
  let matched = 0
  let belowMinimum = 0
  const loosely = (id: string | null) => Number(/\d+/.exec(id!)![0])
  const isDue = (order: Order) =>
    firstRow(order.orderId) === order && firstAward(order.orderId) === undefined && order.points > 0
  /** Each of these rows takes one award of its order that no row spells alike. */
  const similarRows: Order[] = []
  for (const order of good.filter(isDue)) {
    const sameNumber = ({ orderId }: { orderId: string | null }) =>
      orderId !== null && loosely(orderId) === loosely(order.orderId)
    const earlier = good.slice(0, good.indexOf(order))
    if (read.some(sameNumber) || earlier.some((row) => isDue(row) && sameNumber(row))) similarRows.push(order)
  }
  const takenBySimilar = (award: AwardHistoryItem) => {
    const unlisted = (id: string | null) => id !== null && firstRow(id) === undefined
    const sameNumber = ({ orderId }: { orderId: string | null }) =>
      orderId !== null && loosely(orderId) === loosely(award.orderId)
    const free = new Set(
      read.map((item) => item.orderId).filter((id) => unlisted(id) && sameNumber({ orderId: id })),
    )
    return [...free].slice(0, similarRows.filter(sameNumber).length).includes(award.orderId)
  }
  const ofRows = orders.flatMap((order): Found[] => {
    const at = order.line
    if (order.problem !== null) return [{ finding: 'unreadable', at }]
    if (firstRow(order.orderId) !== order) return [{ finding: 'repeated', at }]
    const award = firstAward(order.orderId)
    if (award === undefined && order.points === 0) belowMinimum++
    if (similarRows.includes(order)) return [{ finding: 'similar', at }]
    if (award === undefined) return order.points === 0 ? [] : [{ finding: 'missing', at }]
    const isSame = isAlike(order, award)
    if (isSame) matched++
    return isSame ? [] : [{ finding: 'different', at }]
  })
  const ofAwards = read.flatMap((award, at): Found[] => {
    const isFirst = award.orderId !== null && firstAward(award.orderId) === award
    const isListed =
      isFirst && (orders.some(({ orderId }) => orderId === award.orderId) || takenBySimilar(award))
    const isLate = range.to !== null && Date.parse(award.awardedAt) >= range.to
    return isListed || isLate ? [] : [{ finding: 'extra', at }]
  })
  const notMatched = new Map(
    [...read.entries()].filter(([, award]) => {
      const row = award.orderId === null ? undefined : firstRow(award.orderId)
      return row === undefined || firstAward(award.orderId) !== award || !isAlike(row, award)
    }),
  )
  return { found: [...ofRows, ...ofAwards], notMatched, matched, belowMinimum }
}

async function* inBatches<T>(items: T[], size: number): AsyncGenerator<T[]> {
  for (let at = 0; at < items.length; at += size) yield items.slice(at, at + size)
}

async function* oneByOne<T>(items: T[]): AsyncGenerator<T> {
  yield* items
}

describe('two lists are reconciled', () => {
  test('as by looking up everything in everything, in the order of the file and of the history', async (t) => {
    const random = seededRandom(t)
    for (let round = 0; round < 200; round++) {
      const lists = randomLists(random)
      const { totals, findings } = await reconcileLists({
        orders: inBatches(lists.orders, 3),
        awards: oneByOne(lists.awards),
        range: lists.range,
        folder: temporaryFolder(t),
        parts: integerBelow(random, 4) + 1,
      })
      const found = [...findings()]
      const expected = naively(lists)
      deepEqual(
        found.map(({ finding, order, award }) => ({ finding, at: order?.line ?? award?.position })),
        expected.found,
        JSON.stringify(lists),
      )
      equal(differences(totals), found.length)
      equal(totals.matched.count, expected.matched)
      equal(totals.belowMinimum.count, expected.belowMinimum)
      assertEachCountedOnce(totals)
      equal(totals.orders.count, lists.orders.length)
      const taken = new Set<number>()
      for (const { finding, order, award } of found) {
        const isFree = !lists.orders.some((row) => row.problem === null && row.orderId === award?.orderId)
        if (finding !== 'similar' || award === null || !isFree || taken.has(award.position)) continue
        taken.add(award.position)
        if (isAlike(order!, award)) expected.notMatched.delete(award.position)
      }
      const mayBeAnothers = [...expected.notMatched.values()]
      for (const { finding, orderId, order, award, detail, doubt } of found) {
        equal(order === null ? award!.orderId : order.orderId, orderId)
        const maybe = mayBeAnothers.some(
          ({ userEmail, points }) => userEmail === order?.userEmail && points === order.points,
        )
        if (finding === 'missing' && maybe) ok(doubt !== null, JSON.stringify(lists))
        if (!maybe)
          ok(!doubt?.includes('which the list does not have with these values'), JSON.stringify(lists))
        if (finding !== 'different') continue
        const isOther = order!.points !== award!.points
        equal(detail.includes(`${order!.points} EP listed, ${award!.points} EP credited`), isOther)
        const isOthers = ![null, award!.userEmail].includes(order!.userEmail)
        equal(detail.includes(`${order!.userEmail} listed, ${award!.userEmail} credited`), isOthers)
      }
    }
  })

  test('without a file that others may read, and with every part in use', async (t) => {
    const folder = temporaryFolder(t)
    const orders = Array.from({ length: 4000 }, (_, index) => ({
      line: index + 2,
      orderId: `order-${index}`,
      userEmail: `user${index}@example.com`,
      amount: 1000,
      points: 1,
      problem: null,
      mayBeCutOff: false,
    }))
    const { totals } = await reconcileLists({
      orders: inBatches(orders, 100),
      awards: oneByOne([]),
      range: { from: null, to: null },
      folder,
    })
    equal(totals.missing.count, 4000)
    equal(totals.missing.points, 4000)
    const files = readdirSync(folder)
    equal(files.filter((name) => name.startsWith('orders-')).length, 256)
    for (const file of files) equal(statSync(join(folder, file)).mode & 0o077, 0)
    const sizes = new Map<number, number>()
    for (const { orderId } of orders)
      sizes.set(partOf(orderId, 256), (sizes.get(partOf(orderId, 256)) ?? 0) + 1)
    ok(Math.max(...sizes.values()) < 50, 'the hash spreads orders that differ in a digit')
  })

  test('without a part that has all missing orders, where e-mails are not compared and all have as many EP', async (t) => {
    const folder = temporaryFolder(t)
    const orders = Array.from({ length: 4000 }, (_, index) => ({
      line: index + 2,
      orderId: `order-${index}`,
      userEmail: null,
      amount: 1000,
      points: 1,
      problem: null,
      mayBeCutOff: false,
    }))
    const { findings } = await reconcileLists({
      orders: inBatches(orders, 100),
      awards: oneByOne([]),
      range: { from: null, to: null },
      folder,
    })
    equal([...findings()].length, 4000)
    const sizes = readdirSync(folder).map((file) => statSync(join(folder, file)).size)
    ok(Math.max(...sizes) < 16_384, `${Math.max(...sizes)} bytes`)
  })
})

function assertEachCountedOnce(totals: Totals): void {
  const sum = (...names: (keyof Totals)[]) => names.reduce((total, name) => total + totals[name].count, 0)
  equal(
    sum('orders'),
    sum('matched', 'different', 'missing', 'similar', 'belowMinimum', 'repeated', 'unreadable'),
  )
  const credited = [
    'matched',
    'different',
    'extra',
    'outsideRange',
    'unreadableOrder',
    'similarOrder',
  ] as const
  equal(sum('awards'), sum(...credited))
  const points = (...names: (keyof Totals)[]) => names.reduce((total, name) => total + totals[name].points, 0)
  equal(points('awards'), points(...credited))
}
