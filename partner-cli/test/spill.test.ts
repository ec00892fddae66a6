import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { temporaryFolder } from '../../test/support/service.ts'
import { integerBelow, seededRandom } from '../../test/support/seeded-random.ts'
import { createSpill } from '../src/reconcile/spill.ts'

test('a spill gives back what was added, part by part, however long it is', (t) => {
  const random = seededRandom(t)
  const spill = createSpill<{ text: string }>(temporaryFolder(t), 'records')
  const added: { text: string }[][] = [[], [], [], []]
  for (let count = 0; count < 300; count++) {
    const part = integerBelow(random, 3)
    const length = random() < 0.05 ? 20_000 : integerBelow(random, 600)
    const record = { text: 'é\n"🎁'.repeat(length / 4) }
    spill.add(part, record)
    added[part]!.push(record)
  }
  deepEqual(
    added.map((_, part) => spill.read(part)),
    added,
  )
})
