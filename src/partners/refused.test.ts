import assert from 'node:assert/strict'
import { test } from 'node:test'
import { aPartnerDatabase, aMasterKey, makePartner } from '../../test/support/operators.ts'
import { allowTenant, denyTenant } from './allow-tenant.ts'
import { createKey, rotateKey } from './create-key.ts'
import { createPartner } from './create-partner.ts'
import type { Operator } from './operator.ts'
import { Refused } from './refused.ts'
import { revokeKey } from './revoke-key.ts'
import { setDefaultCaps } from './set-default-caps.ts'
import { setPartnerCaps } from './set-partner-caps.ts'
import { setPartnerRate } from './set-partner-rate.ts'
import { resumePartner, suspendPartner } from './set-partner-status.ts'
import { setTenantCaps } from './set-tenant-caps.ts'

const somebody = { partnerId: 'x', name: 'X', tenants: ['t1'], perTx: null, perPartnerDay: null }
const caps = { perTx: 1, perPartnerDay: 1 }
const refusals: [string, (operator: Operator) => Promise<unknown>, RegExp][] = [
  ['a partner that exists', (o) => makePartner(o), /"acme" exists already/],
  [
    'a partner with a malformed id',
    (o) => createPartner(o, { ...somebody, partnerId: 'a b' }, aMasterKey),
    /id must/,
  ],
  ['a partner without an id', (o) => createPartner(o, { ...somebody, partnerId: '' }, aMasterKey), /id must/],
  ['a partner without a name', (o) => createPartner(o, { ...somebody, name: ' ' }, aMasterKey), /name must/],
  [
    'a partner with a name too long',
    (o) => createPartner(o, { ...somebody, name: 'x'.repeat(201) }, aMasterKey),
    /name must/,
  ],
  [
    'a partner with terminal escape codes in its name',
    (o) => createPartner(o, { ...somebody, name: 'X\u001b]0;you\u0007' }, aMasterKey),
    /name must not have control characters/,
  ],
  [
    'a partner whose name turns the text around',
    (o) => createPartner(o, { ...somebody, name: 'X\u202e' }, aMasterKey),
    /name must not have/,
  ],
  [
    'a reason with a line break',
    (o) => suspendPartner({ ...o, reason: 'a\nb' }, 'acme'),
    /reason must not have control characters/,
  ],
  ['an empty reason', (o) => suspendPartner({ ...o, reason: ' ' }, 'acme'), /reason must have 1 to 500/],
  [
    'a reason too long',
    (o) => setDefaultCaps({ ...o, reason: 'x'.repeat(501) }, { perTx: 1 }),
    /reason must have 1 to 500/,
  ],
  [
    'a partner with a malformed tenant',
    (o) => createPartner(o, { ...somebody, tenants: ['t1', '{}'] }, aMasterKey),
    /tenant "\{\}" must/,
  ],
  ['suspending nobody', (o) => suspendPartner(o, 'nobody'), /no partner "nobody"/],
  ['resuming nobody', (o) => resumePartner(o, 'nobody'), /no partner "nobody"/],
  ['caps of nobody', (o) => setPartnerCaps(o, 'nobody', caps, undefined), /no partner "nobody"/],
  [
    'caps in a tenant not granted',
    (o) => setPartnerCaps(o, 'globex', caps, 't2'),
    /may not use the tenant "t2"/,
  ],
  ['a rate for nobody', (o) => setPartnerRate(o, 'nobody', 5), /no partner "nobody"/],
  ['allowing nobody', (o) => allowTenant(o, 'nobody', 't1'), /no partner "nobody"/],
  ['allowing a malformed tenant', (o) => allowTenant(o, 'acme', 'a/b'), /tenant "a\/b" must/],
  ['denying a tenant not granted', (o) => denyTenant(o, 'globex', 't2'), /has no tenant "t2"/],
  ['denying nobody', (o) => denyTenant(o, 'nobody', 't1'), /no partner "nobody"/],
  ['a key for nobody', (o) => createKey(o, 'nobody', aMasterKey), /no partner "nobody"/],
  ['a key for an id that no partner can have', (o) => createKey(o, 'a b', aMasterKey), /no partner "a b"/],
  ['rotating for nobody', (o) => rotateKey(o, 'nobody', 1, aMasterKey), /no partner "nobody"/],
  ['revoking an unknown key', (o) => revokeKey(o, 'key_0'), /no key "key_0"/],
  ['the cap of an unknown tenant', (o) => setTenantCaps(o, 't9', 5), /no tenant "t9"/],
]
for (const [what, work, message] of refusals) {
  test(`${what} is refused with what to do, and nothing changes, the audit and the version included`, async (t) => {
    const { operator, dump } = await aPartnerDatabase(t)
    const before = dump()
    await assert.rejects(work(operator), (error: Error) => {
      assert.ok(error instanceof Refused, String(error))
      assert.match(error.message, message)
      return true
    })
    assert.deepEqual(dump(), before)
  })
}

const impossible: [string, (operator: Operator) => Promise<unknown>][] = [
  ['a negative cap', (o) => setPartnerCaps(o, 'acme', { perTx: -1, perPartnerDay: undefined }, undefined)],
  ['a fractional cap', (o) => setPartnerCaps(o, 'acme', { perTx: 1.5, perPartnerDay: undefined }, 't1')],
  ['a negative cap of a tenant', (o) => setTenantCaps(o, 't1', -1)],
  ['a rate of zero', (o) => setPartnerRate(o, 'acme', 0)],
]
for (const [what, work] of impossible) {
  test(`${what} is stopped by the database itself, and nothing changes`, async (t) => {
    const { operator, dump } = await aPartnerDatabase(t)
    const before = dump()
    await assert.rejects(work(operator))
    assert.deepEqual(dump(), before)
  })
}
