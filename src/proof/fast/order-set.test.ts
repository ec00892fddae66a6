import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { orderCreditedTwice } from './order-credited-twice.ts'
import { createOrderSet } from './order-set.ts'

const anOrder = fc.record({
  partnerId: fc.stringMatching(/^[a-z]{1,4}$/),
  orderId: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
})

async function twice(orders: { partnerId: string; orderId: string }[]): Promise<string | null> {
  const set = createOrderSet()
  for (const order of orders) set.add(order)
  return orderCreditedTwice(set, async function* again() {
    yield orders
  })
}

test('an order is credited twice exactly where partner and orderId are the same', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(anOrder), async (orders) => {
      const distinct = new Set(orders.map((order) => JSON.stringify(order))).size
      assert.equal((await twice(orders)) !== null, distinct < orders.length)
    }),
  )
})

test('letters moved from the partner to the order make another order', async () => {
  const orders = [
    { partnerId: 'ab', orderId: 'c' },
    { partnerId: 'a', orderId: 'bc' },
    { partnerId: 'abc', orderId: '' },
  ]
  assert.equal(await twice(orders), null)
})

test('letters that differ in either byte, change places, or change between partner and order make another fingerprint', () => {
  const orderIds = [
    'a',
    '\u0161',
    '\u0261',
    '\u6161',
    '\u6100',
    'ab',
    'ba',
    '\u0100\u0200',
    '\u0200\u0100',
    '',
  ]
  const orders = [
    ...orderIds.map((orderId) => ({ partnerId: 'acme', orderId })),
    { partnerId: 'a', orderId: 'acme' },
  ]
  const set = createOrderSet()
  assert.equal(new Set(orders.map((order) => set.fingerprintOf(order))).size, orders.length)
})

test('one repeated order is found among many more than a list starts with', async () => {
  const orders = Array.from({ length: 300_000 }, (_, n) => ({
    partnerId: `p${n % 7}`,
    orderId: `order-${n}`,
  }))
  assert.equal(await twice(orders), null)
  assert.equal(await twice([...orders, orders[77]!]), 'p0: the order "order-77" is credited twice')
})

test('what is no text, or longer than any order, is refused', () => {
  const set = createOrderSet()
  for (const orderId of ['x'.repeat(401), 5, null]) {
    assert.throws(
      () => set.add({ partnerId: 'acme', orderId: orderId as string }),
      /an order that no award has/,
    )
  }
})
