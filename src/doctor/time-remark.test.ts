import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { timeRemark } from './time-remark.ts'

const now = 1763182800000
const minute = 60_000
const hour = 60 * minute
const day = 24 * hour
const remarkAt = (offset: number) => timeRemark({ timestamp: String(now + offset), now, answer: '' })

describe('a timestamp that the service would refuse now is remarked on', () => {
  const remarks: [what: string, offset: number, remark: RegExp | null][] = [
    ['now', 0, null],
    ['five minutes ago', -5 * minute, null],
    ['five minutes ahead', 5 * minute, null],
    ['an hour ago', -hour, /^X-Timestamp is 60 minutes before the clock of this computer\. .*sign/],
    ['half a day ago', -12 * hour, / 12 hours before /],
    ['a week ago', -7 * day, / 7 days before /],
    ['last year', -400 * day, / more than a month before /],
    ['ten minutes ahead', 10 * minute, / 10 minutes after the clock .*One of the two clocks is wrong/],
    ['Vietnam time taken as UTC', 7 * hour - 3_000, / 7 hours after .*time zone/],
    ['Indian time taken as UTC', 5.5 * hour, / 5.5 hours after .*time zone/],
  ]
  for (const [what, offset, remark] of remarks) {
    test(`(${what})`, () => {
      if (remark === null) assert.equal(remarkAt(offset), null)
      else assert.match(remarkAt(offset) ?? '', remark)
    })
  }

  test("by the service's clock, where its response gives it", () => {
    const answer = JSON.stringify({ code: 'TIMESTAMP_OUT_OF_RANGE', serverTime: now, skewMs: 25_200_000 })
    const timestamp = String(now + 7 * hour)
    const remark = timeRemark({ timestamp, now: now + 30 * day, answer })
    assert.match(remark ?? '', /^X-Timestamp is 7 hours after the clock of the service.*time zone/)
    const soon = timeRemark({ timestamp: String(now), now: now + 30 * day, answer })
    assert.equal(soon, null, 'it arrived in time, whenever this is read')
  })

  test('but not one in another unit, which has its own mistake', () => {
    for (const timestamp of ['', '1763182800', '1763182800123456', 'yesterday', '$TIMESTAMP']) {
      assert.equal(timeRemark({ timestamp, now, answer: '' }), null)
    }
  })
})
