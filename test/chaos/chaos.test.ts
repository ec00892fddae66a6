import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aSeed } from '../support/seeded-random.ts'
import { scenarios } from './scenarios.ts'

/** The short form of each: enough to show that it works, and that the service does. */
const short: [name: string, options: Record<string, number>][] = [['kill', { cycles: 3 }]]

for (const [name, options] of short) {
  test(`${scenarios[name]!.what}: nothing acknowledged is lost, nothing is credited twice`, async (t) => {
    const seed = Number(process.env.SEED ?? aSeed())
    t.diagnostic(`SEED=${seed}`)
    const { figures, violations } = await scenarios[name]!.run({
      ...scenarios[name]!.defaults,
      ...options,
      seed,
    })
    t.diagnostic(JSON.stringify(figures))
    assert.deepEqual(violations, [])
  })
}
