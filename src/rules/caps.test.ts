import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type CapSettings, capsInForce, fitsUnder, isCap } from './caps.ts'

const unset: CapSettings = {
  grant: { perTx: null, perPartnerDay: null },
  partner: { perTx: null, perPartnerDay: null },
  tenant: { perUserDay: null },
  defaults: { perTx: 10, perPartnerDay: 100, perUserDay: 20 },
}

test("where nothing is set, the service's defaults are in force", () => {
  assert.deepEqual(capsInForce(unset), { perTx: 10, perPartnerDay: 100, perUserDay: 20 })
})

test("the partner's own perTx and perPartnerDay come before the defaults", () => {
  const caps = capsInForce({ ...unset, partner: { perTx: 11, perPartnerDay: 101 } })
  assert.deepEqual(caps, { perTx: 11, perPartnerDay: 101, perUserDay: 20 })
})

test("the partner's override for one tenant comes before the partner's own caps", () => {
  const partner = { perTx: 11, perPartnerDay: 101 }
  const caps = capsInForce({ ...unset, partner, grant: { perTx: 12, perPartnerDay: 102 } })
  assert.deepEqual(caps, { perTx: 12, perPartnerDay: 102, perUserDay: 20 })
})

test('each cap falls back by itself', () => {
  const partner = { perTx: 11, perPartnerDay: 101 }
  const caps = capsInForce({ ...unset, partner, grant: { perTx: 12, perPartnerDay: null } })
  assert.deepEqual(caps, { perTx: 12, perPartnerDay: 101, perUserDay: 20 })
})

test('perUserDay belongs to the tenant', () => {
  const caps = capsInForce({ ...unset, tenant: { perUserDay: 21 } })
  assert.deepEqual(caps, { perTx: 10, perPartnerDay: 100, perUserDay: 21 })
})

test('a cap of zero is a cap and does not fall back', () => {
  const zeros = { perTx: 0, perPartnerDay: 0 }
  const caps = capsInForce({ ...unset, grant: zeros, tenant: { perUserDay: 0 } })
  assert.deepEqual(caps, { ...zeros, perUserDay: 0 })
})

test('points fit when used + points is at most the cap, exactly, up to 2^53 - 1', () => {
  const nearTheCap = fc
    .tuple(fc.maxSafeNat(), fc.nat(5), fc.nat(5))
    .map(([cap, left, points]) => [cap, Math.max(0, cap - left), points] as const)
  const anywhere = fc.tuple(fc.maxSafeNat(), fc.maxSafeNat(), fc.maxSafeNat())
  fc.assert(
    fc.property(fc.oneof(nearTheCap, anywhere), ([cap, used, points]) => {
      assert.equal(fitsUnder(cap, used, points), BigInt(used) + BigInt(points) <= BigInt(cap))
    }),
  )
})

test('a cap lowered below what is used refuses even the smallest award', () => {
  assert.equal(fitsUnder(5, 10, 1), false)
})

for (const value of [0, 1, 20_000, Number.MAX_SAFE_INTEGER]) {
  test(`${value} can be a cap`, () => {
    assert.equal(isCap(value), true)
  })
}
for (const value of [-1, 1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY]) {
  test(`${value} cannot be a cap`, () => {
    assert.equal(isCap(value), false)
  })
}
