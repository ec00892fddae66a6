import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { WaitingLine } from './waiting-line.ts'

test('when an item leaves, from any place, the others keep their order', () => {
  const joins = fc.record({ join: fc.integer() })
  const leaves = fc.record({ leave: fc.nat() })
  const others = fc.constantFrom({ shift: true }, { joinFirst: -1 }, { toTheEnd: true })
  fc.assert(
    fc.property(fc.array(fc.oneof(joins, leaves, others)), (steps) => {
      const line = new WaitingLine<number>()
      const model: { item: number; place: ReturnType<typeof line.join> }[] = []
      for (const step of steps) {
        if ('join' in step) {
          model.push({ item: step.join, place: line.join(step.join) })
        } else if ('joinFirst' in step) {
          model.unshift({ item: step.joinFirst, place: line.joinFirst(step.joinFirst) })
        } else if ('shift' in step) {
          assert.equal(line.shift(), model.shift()?.item)
        } else if ('toTheEnd' in step) {
          const first = model.shift()
          if (first === undefined) continue
          line.leave(first.place)
          line.rejoin(first.place)
          model.push(first)
        } else if (model.length > 0) {
          const [gone] = model.splice(step.leave % model.length, 1)
          line.leave(gone!.place)
        }
        assert.equal(line.size, model.length)
        assert.equal(line.first, model[0]?.item)
        assert.equal(line.last, model.at(-1)?.item)
      }
      for (const { item, place } of model) {
        assert.equal(line.first, item)
        line.leave(place)
      }
      assert.equal(line.first, undefined)
    }),
  )
})

test('an item that has left references no other: one that lives long keeps no other alive', () => {
  const line = new WaitingLine<string>()
  const [first, second] = [line.join('first'), line.join('second')]
  line.join('third')
  line.leave(second)
  line.leave(first)
  for (const place of [first, second]) assert.ok(place.before === place && place.after === place)
})
