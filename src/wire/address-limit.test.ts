import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressList } from '../access/address-list.ts'
import { createAddressLimit } from './address-limit.ts'

const nobody = addressList([])

test('an address has as many connections as it may, and others have theirs', () => {
  const limit = createAddressLimit(2, nobody)
  const first = limit.enter('192.0.2.1')
  assert.ok(first)
  assert.ok(limit.enter('192.0.2.1'))
  assert.equal(limit.enter('192.0.2.1'), null)
  assert.ok(limit.enter('192.0.2.2'))
  first.leave()
  assert.ok(limit.enter('192.0.2.1'))
  assert.equal(limit.enter('192.0.2.1'), null)
})

const sameClient: [what: string, one: string, other: string, same: boolean][] = [
  ['an IPv4 address as an IPv6 listener sees it', '192.0.2.1', '::ffff:192.0.2.1', true],
  ['one /64 of IPv6', '2001:db8:1:2::1', '2001:db8:1:2:ffff:ffff:ffff:ffff', true],
  ['one /64 of IPv6 with zeros left out', '2001:db8::1', '2001:db8:0:0:1::', true],
  ['two /64 of IPv6', '2001:db8:1:2::1', '2001:db8:1:3::1', false],
  ['link-local addresses with a zone', 'fe80::1%eth0', 'fe80::2%eth1', true],
]
for (const [what, one, other, same] of sameClient) {
  test(`${what}: ${same ? 'one client' : 'two clients'}`, () => {
    const limit = createAddressLimit(1, nobody)
    assert.ok(limit.enter(one))
    assert.equal(limit.enter(other) === null, same)
  })
}

for (const address of ['127.0.0.1', '127.8.9.10', '::1', '::ffff:127.0.0.1', undefined]) {
  test(`${address} is not counted`, () => {
    const limit = createAddressLimit(1, nobody)
    for (let count = 0; count < 10; count++) assert.ok(limit.enter(address))
  })
}

test('a trusted proxy is not counted, everyone else is', () => {
  const limit = createAddressLimit(1, addressList(['192.0.2.0/24']))
  for (let count = 0; count < 10; count++) assert.ok(limit.enter('::ffff:192.0.2.77'))
  assert.ok(limit.enter('198.51.100.1'))
  assert.equal(limit.enter('198.51.100.1'), null)
})
