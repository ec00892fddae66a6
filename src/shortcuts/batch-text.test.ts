import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anAward } from '../../test/support/awards.ts'
import { simplePassage } from '../../test/support/simple-versions.ts'
import type { AwardCommand } from '../rules/entry.ts'
import { batchText, outcomesText, readBatch, readOutcomes } from './batch-text.ts'

test('a batch arrives as postMessage would bring it', () => {
  const text = fc.string({ unit: 'grapheme' })
  const awards = fc
    .record({
      orderId: text,
      note: fc.option(text),
      meta: fc.option(text),
      amount: fc.maxSafeInteger(),
      salt: fc.uint8Array({ minLength: 16, maxLength: 16 }),
    })
    .map((award) => anAward(award))
  fc.assert(
    fc.property(fc.array(awards, { maxLength: 5 }), fc.maxSafeInteger(), (commands, now) => {
      const batch = { commands, now }
      assert.deepEqual(plain(readBatch(batchText(batch))), plain(simplePassage(batch)))
    }),
  )
})

test('so do its outcomes', () => {
  const outcomes = [
    { kind: 'duplicate', epTransactionId: 'é', points: Number.MAX_SAFE_INTEGER },
    { kind: 'rejected', rejection: { code: 'ORDER_ID_CONFLICT', differs: ['note'], awardedAt: 0 } },
  ]
  assert.deepEqual(readOutcomes(outcomesText(outcomes)), simplePassage(outcomes))
})

/** A Buffer is as good as any other Uint8Array. */
function plain({ commands, now }: { commands: AwardCommand[]; now: number }) {
  return { commands: commands.map((command) => ({ ...command, salt: [...command.salt] })), now }
}
