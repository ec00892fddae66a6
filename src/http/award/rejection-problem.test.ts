import assert from 'node:assert/strict'
import { test } from 'node:test'
import { rejectionProblem } from './rejection-problem.ts'

test('Retry-After is at least a second, also when midnight passes between the decision and the response', () => {
  const resetsAt = 1_794_762_000_000
  const rejection = {
    code: 'DAILY_CAP_EXCEEDED',
    cap: 'perUserDay',
    limit: 5,
    requested: 6,
    resetsAt,
  } as const
  for (const [now, seconds] of [
    [resetsAt - 1500, '2'],
    [resetsAt, '1'],
    [resetsAt + 1600, '1'],
  ] as const) {
    assert.equal(rejectionProblem(rejection, now).headers?.['retry-after'], seconds)
  }
})
