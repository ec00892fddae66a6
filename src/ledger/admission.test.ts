import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anAward } from '../../test/support/awards.ts'
import { Admission } from './admission.ts'
import type { WaitingAward } from './waiting-award.ts'

const limits = { queueMax: 12, partnerQueueMax: 7 }

function anArrival(partnerId: string): WaitingAward {
  const nowhere = { deadline: 0, place: null, inLane: null, inShare: null }
  return { command: anAward({ partnerId }), ...nowhere, resolve() {}, reject() {} }
}

const partners = fc.constantFrom('a', 'b', 'c', 'd', 'e')
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ arrives: partners }) },
    { weight: 2, arbitrary: fc.record({ leaves: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ comesBack: partners }) },
  ),
  { maxLength: 200 },
)

test('whatever comes and goes: no partner is refused while another one holds more, and the newest of the largest share leaves', () => {
  fc.assert(
    fc.property(steps, (steps) => {
      const admission = new Admission(limits)
      let waiting: WaitingAward[] = []
      const heldBy = (partnerId: string) => waiting.filter(({ command }) => command.partnerId === partnerId)
      for (const step of steps) {
        if ('leaves' in step) {
          if (waiting.length === 0) continue
          const [gone] = waiting.splice(step.leaves % waiting.length, 1)
          admission.leave(gone!)
        } else if ('comesBack' in step) {
          const award = anArrival(step.comesBack)
          admission.putBack(award)
          waiting.unshift(award)
        } else {
          const award = anArrival(step.arrives)
          const own = heldBy(step.arrives).length
          const shares = [...Map.groupBy(waiting, ({ command }) => command.partnerId).values()]
          const most = Math.max(0, ...shares.map(({ length }) => length))
          const { admitted, displaced } = admission.admit(award)
          const isFull = waiting.length >= limits.queueMax
          assert.equal(admitted, own < limits.partnerQueueMax && (!isFull || most > own + 1))
          assert.equal(displaced !== null, admitted && isFull)
          if (displaced !== null) {
            const share = heldBy(displaced.command.partnerId)
            assert.equal(share.length, most)
            assert.equal(displaced, share.at(-1))
            assert.equal(displaced.inShare, null)
            waiting = waiting.filter((other) => other !== displaced)
          }
          if (admitted) waiting.push(award)
        }
        assert.equal(admission.size, waiting.length)
      }
      for (const award of waiting) admission.leave(award)
      assert.equal(admission.size, 0)
    }),
  )
})

test('with more partners than places each holds one, and no award is displaced', () => {
  const admission = new Admission({ queueMax: 100, partnerQueueMax: 100 })
  const verdicts = Array.from({ length: 10_000 }, (_, index) =>
    admission.admit(anArrival(`partner-${index}`)),
  )
  assert.equal(verdicts.filter(({ admitted }) => admitted).length, 100)
  assert.ok(verdicts.every(({ displaced }) => displaced === null))
})
