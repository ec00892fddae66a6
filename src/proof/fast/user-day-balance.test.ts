import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anEntry } from '../../../test/support/awards.ts'
import { createUserDayBalance } from './user-day-balance.ts'

type Step = { tenantId: string; userEmail: string; day: number; points: number; userDayTotal: number }
type Counter = { tenantId: string; userEmail: string; day: number; points: number }

const lan = { tenantId: 't1', userEmail: 'lan@example.vn', day: 20_000 }
const sound: Step[] = [
  { ...lan, points: 3, userDayTotal: 3 },
  { ...lan, points: 5, userDayTotal: 8 },
  { ...lan, points: 1, userDayTotal: 9 },
]

test('awards that add up to their counter are even, in any order and on any number of days', () => {
  const pointsOfDays = fc.array(fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 1 }))
  fc.assert(
    fc.property(pointsOfDays, fc.infiniteStream(fc.nat()), (days, places) => {
      const steps: Step[] = []
      const counters: Counter[] = []
      for (const [index, day] of days.entries()) {
        let total = 0
        const user = { ...lan, day: index % 3, userEmail: `user${index}@example.vn` }
        for (const points of day) {
          total += points
          steps.push({ ...user, points, userDayTotal: total })
        }
        counters.push({ ...user, points: total })
      }
      const shuffled = steps
        .map((step) => ({ step, place: places.next().value }))
        .toSorted((a, b) => a.place - b.place)
      assert.equal(
        isEven(
          shuffled.map(({ step }) => step),
          counters,
        ),
        true,
      )
    }),
  )
})

const wrong: [string, Step[], Counter[]][] = [
  ['a counter is too high', sound, [{ ...lan, points: 10 }]],
  ['a counter is too low', sound, [{ ...lan, points: 8 }]],
  ['a counter is missing', sound, []],
  ['a counter has no awards', [], [{ ...lan, points: 9 }]],
  ['a counter is another day’s', sound, [{ ...lan, day: 20_001, points: 9 }]],
  ['a counter is another user’s', sound, [{ ...lan, userEmail: 'lam@example.vn', points: 9 }]],
  ['a counter is another tenant’s', sound, [{ ...lan, tenantId: 't2', points: 9 }]],
  [
    'letters moved from the tenant to the user',
    sound,
    [{ ...lan, tenantId: 't', userEmail: '1lan@example.vn', points: 9 }],
  ],
  ['an award is missing in the middle', sound.toSpliced(1, 1), [{ ...lan, points: 9 }]],
  ['an award is there twice', [...sound, sound[1]!], [{ ...lan, points: 9 }]],
  ['two awards start at the same total', [sound[0]!, { ...sound[1]!, points: 8 }], [{ ...lan, points: 8 }]],
  [
    'two awards give each other points',
    [{ ...sound[0]!, points: 4, userDayTotal: 4 }, sound[1]!, sound[2]!],
    [{ ...lan, points: 9 }],
  ],
]
for (const [what, steps, counters] of wrong) {
  test(`not even where ${what}`, () => assert.equal(isEven(steps, counters), false))
}

const outside: [string, Partial<Step>][] = [
  ['a letter beyond ASCII', { userEmail: 'län@example.vn' }],
  ['an address too long', { userEmail: 'a'.repeat(257) }],
  ['a day too far', { day: 2 ** 17 }],
  ['a day before the epoch', { day: -1 }],
  ['a total too high', { userDayTotal: 2 ** 52 }],
  ['a total below its points', { userDayTotal: 1 }],
]
for (const [what, change] of outside) {
  test(`${what} is refused, because its weight would not be exact`, () => {
    assert.throws(() => isEven([{ ...sound[0]!, ...change }], []), /no award has/)
  })
}

test('many more awards than one buffer holds are weighed to the last', () => {
  const users = Array.from({ length: 10_000 }, (_, n) => ({
    ...lan,
    userEmail: `user${n}@example.vn`,
    points: 7,
  }))
  const steps = users.map((user) => ({ ...user, userDayTotal: 7 }))
  assert.equal(isEven(steps, users), true)
  assert.equal(isEven(steps, users.with(9_999, { ...users[9_999]!, points: 8 })), false)
})

function isEven(steps: Step[], counters: Counter[]): boolean {
  const balance = createUserDayBalance()
  for (const { day, ...step } of steps) balance.addAward(anEntry(step), day)
  for (const counter of counters) balance.addCounter(counter)
  return balance.isEven()
}
