import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ticksUpTo } from './components/chart-scale.ts'
import { dayParts } from './words/day-parts.ts'
import { capOf } from './words/entered-cap.ts'
import { latencyPlaces } from './words/latency-hour.ts'
import { backTestIn } from './words/back-test.ts'

test('an axis begins at zero, ends at or above the largest value, and has at most five whole ticks', () => {
  assert.deepEqual(ticksUpTo(0), [0, 1])
  assert.deepEqual(ticksUpTo(3), [0, 1, 2, 3])
  assert.deepEqual(ticksUpTo(61), [0, 20, 40, 60, 80])
  assert.deepEqual(ticksUpTo(1_000_000), [0, 250_000, 500_000, 750_000, 1_000_000])
  for (let largest = 0; largest < 5_000; largest += 7) {
    const ticks = ticksUpTo(largest)
    assert.ok(
      ticks.length <= 5 && ticks.at(-1)! >= largest && ticks.every(Number.isInteger),
      `${largest}: ${ticks}`,
    )
  }
})

test('a minute without requests is zero where requests were counted, and a gap where they were not', () => {
  const from = '2026-11-15T17:00:00.000Z'
  const at = (time: string) => Date.parse(`2026-11-16T${time}:00+07:00`)
  const points = [{ at: new Date(at('10:01')).toISOString(), awards: 15, points: 300 }]
  const { perMinute, hours, total, starts } = dayParts(
    { from, countedSince: new Date(at('09:58')).toISOString(), points },
    'awards',
    at('10:12'),
  )
  assert.equal(total, 15)
  const placeOf = (start: string) => perMinute[starts.indexOf(start)]
  assert.deepEqual(['09:50', '09:55', '10:00', '10:05', '10:10', '10:15'].map(placeOf), [
    null,
    0,
    3,
    0,
    0,
    null,
  ])
  assert.deepEqual(hours.slice(8, 12), [null, 0, 15, null])
})

test('the mean of the minutes that are not over counts those that have passed', () => {
  const from = '2026-11-15T17:00:00.000Z'
  const points = [{ at: from, awards: 8, points: 0 }]
  const { perMinute } = dayParts({ from, countedSince: from, points }, 'awards', Date.parse(from) + 90_000)
  assert.equal(perMinute[0], 4)
})

test('a back-test has every day of the period once, of one tenant, and its totals are the sums of the days', () => {
  const tried = (day: string, points: number) => ({
    day,
    awards: 2,
    points,
    refusedAwards: 1,
    refusedPoints: 3,
    refusedThenOrders: 2,
    refusedThenPoints: 7,
    admittedOrders: 1,
    admittedPoints: 5,
    stillRefusedOrders: 1,
    stillRefusedPoints: 2,
  })
  const answer = {
    from: '2026-11-14',
    to: '2026-11-17',
    tenants: [
      { tenantId: 't1', days: [tried('2026-11-15', 10), tried('2026-11-17', 30)] },
      { tenantId: 't2', days: [tried('2026-11-16', 500)] },
    ],
  }
  const { days, total } = backTestIn(answer, 't1')
  assert.deepEqual(
    days.map(({ day, credited, refused }) => [day, credited.points, refused.points]),
    [
      ['2026-11-14', 0, 0],
      ['2026-11-15', 10, 7],
      ['2026-11-16', 0, 0],
      ['2026-11-17', 30, 7],
    ],
  )
  assert.deepEqual(total, {
    credited: { count: 4, points: 40 },
    refused: { count: 4, points: 14 },
    nowRefused: { count: 2, points: 6 },
    nowAdmitted: { count: 2, points: 10 },
    stillRefused: { count: 2, points: 4 },
  })
  assert.equal(backTestIn(answer, 'unused').total.credited.points, 0)
})

test('the response times of the last hour stand at their minutes, with gaps where none was measured', () => {
  const now = Date.parse('2026-11-16T10:30:20+07:00')
  const minute = (clock: string, p50Ms: number | null) => ({
    at: new Date(`2026-11-16T${clock}+07:00`).toISOString(),
    requests: 2,
    p50Ms,
    p99Ms: 100,
  })
  const places = latencyPlaces([minute('09:31:00', 5), minute('10:29:10', null)], now)
  assert.equal(places.length, 60)
  assert.deepEqual([places[0]!.start, places[0]!.minute?.p50Ms], ['09:31', 5])
  assert.deepEqual([places[58]!.start, places[58]!.minute?.p50Ms], ['10:29', null])
  assert.equal(places.filter((place) => place.minute !== null).length, 2)
})

test('a cap may be typed with commas; nothing means that the wider cap applies; anything else is wrong', () => {
  assert.deepEqual(['650,000', ' 650 000 ', '0', '', '  '].map(capOf), [650_000, 650_000, 0, null, null])
  for (const text of ['-1', '1.5', '1e6', 'many', '99999999999999999999']) assert.equal(capOf(text), 'wrong')
})
