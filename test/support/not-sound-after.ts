import assert from 'node:assert/strict'
import { awardTogether } from './award-together.ts'
import type { Lifetime } from './service.ts'
import { anOrder } from './sqlite-ledger.ts'
import { aStoreLedger } from './store-ledger.ts'

/** A ledger with one award, after somebody has run this SQL on it. */
export async function assertNotSoundAfter(test: Lifetime, sql: string, expected: RegExp): Promise<void> {
  const ledger = await aStoreLedger(test)
  await awardTogether(ledger.store.ledger, [anOrder('A1')])
  await ledger.raw.run(sql)
  const { sound, fault } = await ledger.verify()
  assert.equal(sound, false)
  assert.match(fault!, expected)
}
