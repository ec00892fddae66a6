import assert from 'node:assert/strict'
import { test } from 'node:test'
import { anApi } from '../support/operator-api.ts'
import { startService } from '../support/service.ts'

test('a report of a month has its first and its last day; a month before 2000 or after 2099 is refused', async (t) => {
  const api = await anApi(t, await startService(t))
  const report = (month: string) => api.as('viewer', { path: `/reports?month=${month}` })
  for (const [month, last] of Object.entries({
    '2000-01': 31,
    '2024-02': 29,
    '2026-02': 28,
    '2099-12': 31,
  })) {
    const { body } = await report(month)
    assert.deepEqual([body.from, body.to], [`${month}-01`, `${month}-${last}`])
  }
  for (const month of ['0000-01', '0099-12', '1999-12', '2100-01', '9999-12']) {
    const { status, body } = await report(month)
    assert.deepEqual(
      [status, body.code, body.detail],
      [400, 'INVALID_REQUEST', 'month: must be a month from 2000-01 to 2099-12'],
      month,
    )
  }
})
