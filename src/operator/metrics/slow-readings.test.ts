import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSlowReadings } from './slow-readings.ts'

test('a database that does not respond is asked once, and the scrapes go without it', async () => {
  let asked = 0
  const never = () => {
    asked++
    return new Promise<never>(() => {})
  }
  const clock = { now: () => 5_000, elapsed: () => asked * 60_000 }
  const read = createSlowReadings(
    {
      dayUsage: never,
      clockDifferenceMs: async () => 0,
      verifiedAt: async () => 2_000,
      notSoundAt: async () => 2_500,
    },
    clock,
    clock,
  )
  for (const metrics of await Promise.all([read(), read(), read()])) {
    assert.deepEqual(
      metrics.map(({ name, values }) => [name, values[0]?.value]),
      [
        ['partner_credit_verify_age_seconds', 3],
        ['partner_credit_verify_not_sound', 1],
      ],
    )
  }
  assert.equal(asked, 1)
})

test('a disk that does not respond is asked once for the time of the last verify', async () => {
  let asked = 0
  const readings = {
    dayUsage: async () => [],
    clockDifferenceMs: async () => null,
    verifiedAt: () => {
      asked++
      return new Promise<never>(() => {})
    },
    notSoundAt: async () => null,
  }
  const clock = { now: () => 0, elapsed: () => 0 }
  const read = createSlowReadings(readings, clock, clock)
  for (const metrics of await Promise.all([read(), read(), read()]))
    assert.ok(!metrics.some(({ name }) => name === 'partner_credit_verify_age_seconds'))
  assert.equal(asked, 1)
})

test('however often it is scraped, the database is asked once in ten seconds', async () => {
  let asked = 0
  let elapsed = 0
  const readings = {
    dayUsage: async () => [{ partnerId: 'acme', ratio: ++asked }],
    clockDifferenceMs: async () => {
      throw new Error('away')
    },
    verifiedAt: async () => null,
    notSoundAt: async () => null,
  }
  const read = createSlowReadings(readings, { now: () => 0 }, { elapsed: () => elapsed })
  const ratio = async () => (await read())[0]!.values[0]!.value
  assert.deepEqual([await ratio(), await ratio()], [1, 1])
  elapsed = 9_999
  assert.equal(await ratio(), 1)
  elapsed = 10_000
  assert.equal(await ratio(), 2)
})
