import assert from 'node:assert/strict'
import { test } from 'node:test'
import { problemCodes } from '../../wire/problems/catalog.ts'
import { awardForPartner } from './site/words/award-for-partner.ts'
import type { Refusal } from './site/words/refusal.ts'
import { refusalForPartner } from './site/words/refusal-for-partner.ts'
import { refusalVerdict } from './site/words/refusal-verdict.ts'

const refused = {
  at: '2026-11-16T07:29:40.000Z',
  endpoint: 'award',
  code: 'DAILY_CAP_EXCEEDED',
  tenantId: 'vn-south',
  cap: 'perPartnerDay',
  limit: 500_000,
  requested: 2_390,
  used: 498_720,
  requestId: '37e7702e-5ce4-449c-a122-5fa1b3b3ed8e',
} as const satisfies Refusal

test('the text about perPartnerDay has the numbers of the response, without separators, and the reset', () => {
  assert.equal(
    refusalForPartner(refused, '104477'),
    `Order 104477 in tenant vn-south was refused on 16 November 2026 at 14:29:40 (UTC+7).
Request ID: 37e7702e-5ce4-449c-a122-5fa1b3b3ed8e
Code: DAILY_CAP_EXCEEDED (429), cap perPartnerDay

The award was 2390 EP. You had used 498720 of your 500000 EP for this tenant that day, so 1280 EP were left. Nothing was recorded and the order ID is still free.

Send the same order again after 17 November 2026 at 00:00:00 (UTC+7). Awards of up to 1280 EP were still accepted that day.`,
  )
})

test('an award that is larger than the cap of a whole day is not to be sent again', () => {
  for (const cap of ['perPartnerDay', 'perUserDay']) {
    const text = refusalForPartner({ ...refused, cap, limit: 2_000, used: 0 }, '104477')
    assert.match(text, /larger than the cap of a whole day/)
    assert.doesNotMatch(text, /again after/)
  }
})

test("for perUserDay the text neither states nor implies a user's total, even if it were known", () => {
  const perUserDay = { ...refused, cap: 'perUserDay', limit: 5_000, used: null }
  const text = refusalForPartner(perUserDay, '104477')
  assert.match(text, /2390 EP\. It would have exceeded what one user may receive .* which is 5000 EP/)
  assert.doesNotMatch(text, /\b(left|used|up to|other partners?)\b/)
  for (const used of [0, 2_611, 4_999]) {
    assert.equal(refusalForPartner({ ...perUserDay, used }, '104477'), text)
  }
})

test('the text is the same whether the key and the tenant exist or not, where the partner was not told', () => {
  const untold = [
    'INVALID_SIGNATURE',
    'TIMESTAMP_OUT_OF_RANGE',
    'RATE_LIMITED',
    'INVALID_REQUEST',
    'TENANT_NOT_ALLOWED',
  ] as const
  for (const code of untold) {
    const base = { ...refused, code, cap: null, limit: null, requested: null, used: null }
    const known = { ...base, partnerId: 'song-nhip', keyId: 'key_b2f04d91c7e6a835' }
    const unknown = { ...base, partnerId: '(unknown)', keyId: null, tenantId: '(unknown)' }
    const text = refusalForPartner(known, null)
    assert.equal(text, refusalForPartner(unknown, null), code)
    assert.doesNotMatch(text, /vn-south|song-nhip|key_|unknown\)/, code)
  }
})

test('no text names the key, the partner or anything else that the response did not have', () => {
  const secret = { partnerId: 'song-nhip', keyId: 'key_b2f04d91c7e6a835', orderFingerprint: 'f00d' }
  for (const code of problemCodes)
    for (const endpoint of ['award', 'history'] as const)
      for (const cap of ['perTx', 'perPartnerDay', 'perUserDay', null]) {
        const text = refusalForPartner({ ...refused, ...secret, code, endpoint, cap }, '104477')
        assert.doesNotMatch(text, /song-nhip|key_|f00d|null|undefined|NaN/, code)
        assert.match(text, new RegExp(`^Request ID: ${refused.requestId}$`, 'm'))
        assert.match(text, /\(UTC\+7\)/)
      }
})

test('a partner that was suspended then is not called suspended now, and is told when it is active again', () => {
  const suspended = { ...refused, code: 'PARTNER_SUSPENDED', cap: null, limit: null, used: null } as const
  const text = (status: 'active' | 'suspended' | null) => refusalForPartner(suspended, '104477', status)
  for (const status of ['active', 'suspended', null] as const) {
    assert.match(text(status), /^The partner was suspended at that time\. Nothing was recorded\.$/m)
    assert.doesNotMatch(text(status), /is suspended/)
  }
  assert.match(text('active'), /^It is active again: send the order again with the same orderId\.$/m)
  assert.doesNotMatch(text('active'), /resume/)
  assert.doesNotMatch(text('suspended'), /active again/)
  // The status is said of this refusal only: no other one depends on it.
  assert.equal(refusalForPartner(refused, '1', 'active'), refusalForPartner(refused, '1', 'suspended'))
})

test('values that the journal did not keep are left out, and the published explanation stands in', () => {
  const { limit: _limit, ...rest } = refused
  const text = refusalForPartner({ ...rest, limit: null, used: null }, null)
  assert.match(text, /^An award request in tenant vn-south was refused/)
  assert.match(text, /The award exceeds a daily cap\./)
})

test('a refused request that was never read as an order is not called one', () => {
  assert.match(
    refusalForPartner({ ...refused, code: 'INVALID_SIGNATURE' }, '104477'),
    /^An award request was/,
  )
  assert.match(
    refusalForPartner({ ...refused, endpoint: 'history' }, null),
    /^A request for award history was/,
  )
})

test('an order ID with a mark of text direction does not turn the text around it', () => {
  const text = refusalForPartner(refused, 'A\u202eB')
  assert.match(text, /^Order \u2068A\u202eB\u2069 in tenant vn-south/)
})

test('the text about an award has its arithmetic, and nothing of the user or of totals', () => {
  const award = {
    orderId: '104477',
    tenantId: 'vn-south',
    sandbox: false,
    epTransactionId: '01a1e222-1734-7e79-a89d-f7873b3463ae',
    awardedAt: '2026-11-16T02:14:07.000Z',
    userEmail: 'lan@example.com',
    arithmetic: { rawAmount: 12_990, amountPerEp: 1_000, points: 12, remainder: 990 },
  }
  assert.equal(
    awardForPartner(award),
    `Order 104477 in tenant vn-south was credited on 16 November 2026 at 09:14:07 (UTC+7).
Transaction: 01a1e222-1734-7e79-a89d-f7873b3463ae

You sent amount 12990. 1000 units are 1 EP, rounded down for each award: 12990 / 1000 = 12, remainder 990. The award is 12 EP. 13 EP need an amount of 13000 or more.`,
  )
  const even = { rawAmount: 12_000, amountPerEp: 1_000, points: 12, remainder: 0 }
  assert.doesNotMatch(awardForPartner({ ...award, arithmetic: even }), /13 EP/)
  assert.match(awardForPartner({ ...award, sandbox: true }), /sandbox/)
})

test('every code has a verdict', () => {
  for (const code of problemCodes) {
    const { title, verdict, proof } = refusalVerdict({ ...refused, code })
    assert.ok(title.length > 0 && verdict.endsWith('.') && proof.endsWith('.'), code)
  }
})

test('the verdict has what was requested and what was left', () => {
  const { title, verdict, proof } = refusalVerdict(refused)
  assert.equal(title, 'Refused: daily cap of the partner')
  assert.equal(verdict, '2,390 EP were requested and 1,280 EP were left.')
  assert.match(proof, /^perPartnerDay is 500,000 EP; 498,720 EP were used\. Nothing was recorded/)
})
