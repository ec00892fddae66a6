import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { CountCells } from './count-cells.ts'

const credited = { endpoint: 'award', code: 'CREDITED', detail: '' } as const
const replayed = { endpoint: 'award', code: 'DUPLICATE', detail: 'within 1 s' } as const

test('responses of one kind are one count, with their EP', () => {
  const cells = new CountCells(60_000)
  cells.add('acme', 't1', credited, 5)
  cells.add('acme', 't1', credited, 7)
  cells.add('acme', 't1', replayed, 5)
  cells.add('acme', 't2', credited, 1)
  deepEqual(cells.read(), [
    { minute: 60_000, partnerId: 'acme', tenantId: 't1', ...credited, responses: 2, points: 12 },
    { minute: 60_000, partnerId: 'acme', tenantId: 't1', ...replayed, responses: 1, points: 5 },
    { minute: 60_000, partnerId: 'acme', tenantId: 't2', ...credited, responses: 1, points: 1 },
  ])
})

test('the same code of the other endpoint, or with another detail, is another count', () => {
  const cells = new CountCells(0)
  for (const endpoint of ['award', 'history'] as const)
    for (const detail of ['perPartnerDay', 'perUserDay'])
      cells.add('acme', 't1', { endpoint, code: 'DAILY_CAP_EXCEEDED', detail }, 1)
  equal(cells.read().length, 4)
})

test('too many different counts go to the others, so that memory is bounded and the sum complete', () => {
  const cells = new CountCells(0)
  const responses = 20_000
  for (let number = 0; number < responses; number++) cells.add(`partner-${number}`, 't1', credited, 2)
  const counts = cells.read()
  equal(counts.length, 5_001)
  const others = counts.find(({ partnerId }) => partnerId === '(others)')
  deepEqual([others?.responses, others?.points], [15_000, 30_000])
  equal(cells.responses, responses)
  equal(
    counts.reduce((sum, count) => sum + count.responses, 0),
    responses,
  )
})
