import assert from 'node:assert/strict'
import { test } from 'node:test'
import { integerBelow, seededRandom } from '../../test/support/seeded-random.ts'
import type { AccountDay, EntryPlace } from '../answers/ledger-queries.ts'
import { vietnamDay, vietnamDayStart } from '../rules/vietnam-day.ts'
import { mergedDays, pagesOf, rangesOf } from './day-ranges.ts'

const today = 20_000

test('the range of a period is what a plain look at every entry finds, in few steps', async (t) => {
  const random = seededRandom(t)
  const below = (bound: number) => integerBelow(random, bound)
  for (let round = 0; round < 300; round++) {
    const accounts = Array.from({ length: 1 + below(4) }, (_, index) => {
      const times = Array.from(
        { length: 1 + below(200) },
        () => vietnamDayStart(today - below(9)) + below(86_400_000),
      ).sort((a, b) => a - b)
      return { partnerId: `p${index}`, tenantId: 't1', times }
    })
    const heads = accounts.map(({ times, ...id }) => ({
      ...id,
      seq: times.length,
      awardedAt: times.at(-1)!,
    }))
    const from = today - below(10)
    const to = from + below(4)
    let steps = 0
    const timesAt = async (places: EntryPlace[]) => {
      steps++
      return places.map(({ partnerId, seq }) => {
        const { times } = accounts.find((account) => account.partnerId === partnerId)!
        assert.ok(seq >= 1 && seq <= times.length)
        return times[seq - 1]!
      })
    }
    const ranges = await rangesOf(heads, { from, to }, timesAt)
    const expected = accounts.flatMap(({ times, ...id }) => {
      const seqs = times.flatMap((time, index) =>
        vietnamDay(time) >= from && vietnamDay(time) <= to ? [index + 1] : [],
      )
      return seqs.length === 0 ? [] : [{ ...id, firstSeq: seqs[0]!, lastSeq: seqs.at(-1)! }]
    })
    assert.deepEqual(ranges, expected)
    assert.ok(steps <= 2 * 9, `${steps} steps for 200 entries`)

    steps = 0
    const placesMax = 8 + below(100)
    assert.deepEqual(await rangesOf(heads, { from, to }, timesAt, placesMax), expected)
    assert.ok(steps <= 2 * 9, `${steps} steps with ${placesMax} places each`)
    steps = 0
    assert.deepEqual(await rangesOf(heads, { from, to }, timesAt, 2_000), expected)
    assert.ok(steps <= 1, `${steps} steps with room for all places`)
  }
})

test('a range is cut into pages without a gap, and the parts of a day are put together again', () => {
  const range = { partnerId: 'acme', tenantId: 't1', firstSeq: 3, lastSeq: 11 }
  const pages = [...pagesOf(range, 4)]
  assert.deepEqual(
    pages.map(({ firstSeq, lastSeq }) => [firstSeq, lastSeq]),
    [
      [3, 6],
      [7, 10],
      [11, 11],
    ],
  )
  const part = (page: (typeof pages)[number], day: number): AccountDay => {
    return { ...page, day, awards: 1, points: 2, rawAmount: 2500, remainder: 500 }
  }
  assert.deepEqual(mergedDays([part(pages[0]!, 1), part(pages[1]!, 1), part(pages[2]!, 2)]), [
    { ...range, lastSeq: 10, day: 1, awards: 2, points: 4, rawAmount: 5000, remainder: 1000 },
    part(pages[2]!, 2),
  ])
})
