import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addressList, parseAddressList } from './address-list.ts'

const listed: [list: string, address: string, has: boolean][] = [
  ['192.0.2.7', '192.0.2.7', true],
  ['192.0.2.7', '192.0.2.8', false],
  ['192.0.2.7, 10.0.0.0/8', '10.200.3.4', true],
  [' 192.0.2.7 ,,10.0.0.0/8 ', '11.0.0.1', false],
  ['0.0.0.0/0', '203.0.113.9', true],
  ['2001:db8::/32', '2001:db8:1::5', true],
  ['2001:db8::/32', '2001:db9::5', false],
  ['2001:db8::7', '2001:db8::7', true],
  ['', '192.0.2.7', false],
  ['0.0.0.0/0', 'nobody', false],
]
for (const [list, address, has] of listed) {
  test(`"${list}" ${has ? 'has' : 'does not have'} ${address}`, () => {
    assert.equal(addressList(parseAddressList(list)!).has(address), has)
  })
}

for (const wrong of [
  'proxy',
  '192.0.2',
  '192.0.2.7/33',
  '::1/129',
  '10.0.0.0/8/8',
  '10.0.0.0/',
  '10.0.0.0/x',
  '1',
]) {
  test(`"${wrong}" is no list of addresses`, () => {
    assert.equal(parseAddressList(wrong), null)
  })
}
