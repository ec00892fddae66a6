import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seedOf } from '../support/seeded-random.ts'
import { scenarios } from './scenarios.ts'

/** Scenarios as tests, so small that they show little more than that they work, and that the service does. */
export function testShortForms(forms: Record<string, Record<string, number>>): void {
  for (const [name, options] of Object.entries(forms)) {
    const { what, defaults, run } = scenarios[name]!
    test(`${what}: nothing acknowledged is lost, nothing is credited twice`, async (t) => {
      const seed = seedOf(t)
      const { figures, violations } = await run({ ...defaults, ...options, seed })
      t.diagnostic(JSON.stringify(figures))
      assert.deepEqual(violations, [])
    })
  }
}
