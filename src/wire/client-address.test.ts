import assert from 'node:assert/strict'
import type { IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { addressList } from '../access/address-list.ts'
import { createClientAddress } from './client-address.ts'

const proxies = addressList(['10.0.0.0/8', '192.0.2.1'])

function seenFrom(peer: string | undefined, forwardedFor?: string): string | undefined {
  const request = { socket: { remoteAddress: peer }, headers: { 'x-forwarded-for': forwardedFor } }
  return createClientAddress(proxies)(request as unknown as IncomingMessage)
}

test("without a trusted proxy the client is the connection's peer, whatever X-Forwarded-For says", () => {
  assert.equal(seenFrom('198.51.100.7'), '198.51.100.7')
  assert.equal(seenFrom('198.51.100.7', '203.0.113.9'), '198.51.100.7')
  assert.equal(seenFrom('127.0.0.1', '203.0.113.9'), '127.0.0.1')
  assert.equal(seenFrom('::ffff:198.51.100.7'), '198.51.100.7')
  assert.equal(seenFrom(undefined, '203.0.113.9'), undefined)
})

test('behind trusted proxies the client is the last address that is not one of them', () => {
  assert.equal(seenFrom('10.1.2.3', '203.0.113.9'), '203.0.113.9')
  assert.equal(seenFrom('::ffff:10.1.2.3', '203.0.113.9, 192.0.2.1, 10.9.9.9'), '203.0.113.9')
  // The client itself wrote the first one.
  assert.equal(seenFrom('10.1.2.3', '198.51.100.1, 203.0.113.9'), '203.0.113.9')
  assert.equal(seenFrom('192.0.2.1', '2001:db8::7'), '2001:db8::7')
})

test('what is not an address is not logged: the proxy is', () => {
  for (const forged of [
    '',
    'ann@example.com',
    '203.0.113.9, order-1',
    '"; DROP',
    '203.0.113.9,',
    'unknown',
  ]) {
    assert.equal(seenFrom('10.1.2.3', forged), '10.1.2.3', forged)
  }
  assert.equal(seenFrom('10.1.2.3'), '10.1.2.3')
  assert.equal(seenFrom('10.1.2.3', '10.0.0.1, 10.0.0.2'), '10.1.2.3')
})

test('of a long list only the end is read', () => {
  const manyProxies = ', 10.0.0.1'.repeat(1_000)
  assert.equal(seenFrom('10.1.2.3', `198.51.100.1${manyProxies}`), '10.1.2.3')
  assert.equal(seenFrom('10.1.2.3', `${manyProxies}, 203.0.113.9`), '203.0.113.9')
})
