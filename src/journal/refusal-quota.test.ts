import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { RefusalQuota } from './refusal-quota.ts'

const hourMs = 3_600_000

test('a partner has a quota for each hour and code; others are not affected', () => {
  const quota = new RefusalQuota()
  const admitted = (partnerId: string, code: string, at: number) =>
    Array.from({ length: 600 }, () => quota.admits(partnerId, code, at)).filter(Boolean).length
  equal(admitted('acme', 'RATE_LIMITED', 10), 500)
  equal(admitted('acme', 'RATE_LIMITED', hourMs - 1), 0)
  equal(admitted('acme', 'DAILY_CAP_EXCEEDED', 10), 500)
  equal(admitted('globex', 'RATE_LIMITED', 10), 500)
  equal(admitted('acme', 'RATE_LIMITED', hourMs), 500)
})
