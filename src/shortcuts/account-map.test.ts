import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { SimpleAccountMap } from '../../test/support/simple-versions.ts'
import { AccountMap } from './account-map.ts'

/** The hashes of Aa and BB are the same, and so are those of two accounts whose ids are the same text when joined. */
const pairs = [
  ['Aa', 't'],
  ['BB', 't'],
  ['t', 'Aa'],
  ['t', 'BB'],
  ['a', 'bc'],
  ['ab', 'c'],
  ['', '","'],
  ['","', ''],
  // Of a table without its rules.
  [null, 't'],
  ['null', 't'],
  [5, 't'],
  ['5', 't'],
  ['t', Uint8Array.of(65)],
  ['t', Uint8Array.of(66)],
] as [string, string][]

test('an account map holds what a Map of Maps holds, also of accounts that share a place in the cache', () => {
  const account = fc.constantFrom(...pairs.map(([partnerId, tenantId]) => ({ partnerId, tenantId })))
  const step = fc.record({ account, change: fc.constantFrom('set', 'delete'), value: fc.nat() })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const fast = new AccountMap<number>()
      const simple = new SimpleAccountMap<number>()
      for (const { account, change, value } of steps) {
        for (const map of [fast, simple]) {
          if (change === 'set') map.set(account, value)
          else map.delete(account)
        }
        for (const { account } of steps) assert.equal(fast.get(account), simple.get(account))
        assert.equal(fast.size, simple.size)
        assert.deepEqual(sorted(fast.values()), sorted(simple.values()))
      }
    }),
  )
})

function sorted(values: number[]): number[] {
  return values.toSorted((a, b) => a - b)
}
