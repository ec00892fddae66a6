import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seedOf } from '../support/seeded-random.ts'
import { scenarios } from './scenarios.ts'

/** Scenarios as tests. They are small: they show that the scenario works, and that the service passes it once. */
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
