import { equal } from 'node:assert/strict'
import { after, test } from 'node:test'
import { openReading } from '../../src/stores/open.ts'
import { awardTogether } from '../support/award-together.ts'
import { anOrder } from '../support/sqlite-ledger.ts'
import { aStoreLedger } from '../support/store-ledger.ts'

const there = 2_500
const { store, database } = await aStoreLedger({ after })
let orders = 0
async function award(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 500) {
    const some = Math.min(left, 500)
    await awardTogether(
      store.ledger,
      Array.from({ length: some }, () => anOrder(`order-${orders++}`)),
    )
  }
}

test('a pass over the entries ends with those that were there when it began, however fast the account grows meanwhile', async () => {
  await award(there)
  const reading = await openReading(database)
  try {
    const pass = reading.entryPass()
    const read = [0, 0, 0]
    for (const [turn] of read.entries()) {
      for await (const { entries } of pass()) {
        read[turn]! += entries.length
        if (read[turn]! > 3 * there) break
        if (turn < 2) await award(entries.length)
      }
    }
    const [first, second, third] = read
    equal(first, there)
    equal(second, there, 'what was awarded during the first')
    equal(third, there, 'and during the second')
  } finally {
    await reading.close()
  }
})
