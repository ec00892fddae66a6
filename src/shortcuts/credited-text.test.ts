import assert from 'node:assert/strict'
import { test } from 'node:test'
import { simpleCreditedText } from '../../test/support/simple-versions.ts'
import { creditedText } from './credited-text.ts'

const epTransactionId = '019a0000-0000-7000-8000-000000000001'

test('the text is that of JSON.stringify, whatever the order is called', () => {
  const characters = Array.from({ length: 0x1_00_00 }, (_, code) => String.fromCharCode(code))
  const orders = ['', 'order-1', 'é "quoted" \\ /', '注文 7 🧾', '\ud83e', '\uddfe x', ...characters]
  for (const orderId of orders) {
    for (const order of [orderId, `a${orderId}b`]) {
      const credited = { epTransactionId, orderId: order, points: 12 }
      assert.equal(creditedText(credited), simpleCreditedText(credited))
    }
  }
  for (const points of [0, 1, 9_007_199_254_740]) {
    const credited = { epTransactionId, orderId: 'order-1', points }
    assert.equal(creditedText(credited), simpleCreditedText(credited))
  }
})
