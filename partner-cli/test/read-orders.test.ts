import { deepEqual, equal } from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readOrders } from '../src/reconcile/read-orders.ts'
import type { DecimalMark } from '../src/reconcile/whole-number.ts'

async function ordersIn(file: string, given = {}, decimalMark: DecimalMark | null = null) {
  async function* chunks() {
    yield Buffer.from(file)
  }
  const options = { delimiter: undefined, given, isEmailIgnored: false, decimalMark, isAmountNeeded: false }
  return (await Array.fromAsync(readOrders(chunks(), options))).flat()
}

describe('a row of the list', () => {
  const rows: [row: string, points: number, problem: string | null][] = [
    ['a,x@example.com,1000', 1, null],
    ['a,x@example.com,1999', 1, null],
    ['a,x@example.com,0', 0, null],
    ['a,x@example.com,9007199254740991', 9007199254740, null],
    [
      'a,x@example.com,9007199254740992',
      0,
      'the amount "9007199254740992" is too large: an award takes at most 9007199254740991. Correct it in the list',
    ],
    ['a,x@example.com,5000.00', 5, null],
    ['a,x@example.com,"1,000,000"', 1000, null],
    ['a,x@example.com,1.000.000', 1000, null],
    ['a,x@example.com, 5000', 5, null],
    ['a,x@example.com,5e3', 0, 'the amount "5e3" must be a whole number, in digits'],
    ['a,x@example.com,-5000', 0, 'the amount "-5000" is negative: an award can only credit'],
    ['a,x@example.com,0x10', 0, 'the amount "0x10" must be a whole number, in digits'],
    ['a,x@example.com,5000.50', 0, 'the amount "5000.50" must be a whole number, without a fraction'],
    [
      'a,x@example.com,"1,000"',
      0,
      'the amount "1,000" can be 1000 or 1: say which with --decimal-mark point (1000) or --decimal-mark comma (1)',
    ],
    ['a,x@example.com, ', 0, 'has no amount'],
    ['a,x@example.com,', 0, 'has no amount'],
    ['a,,', 0, 'has no e-mail; has no amount'],
    ['a,x@example.com,1000,', 0, 'has 4 cells where the first row has 3'],
    ['a', 0, 'has 1 cell where the first row has 3'],
  ]
  for (const [row, points, problem] of rows) {
    test(JSON.stringify(row), async () => {
      const [order] = await ordersIn(`order,email,amount\n${row}`)
      deepEqual([order?.line, order?.points, order?.problem], [2, points, problem])
    })
  }

  test('an amount that cannot be read is named with its column, if that is called something else', async () => {
    const [order] = await ordersIn('order,email,Amount (VND)\na,x@example.com,90071992547409910')
    equal(
      order?.problem,
      'the amount "90071992547409910" in the column "Amount (VND)" is too large: an award takes at most 9007199254740991. Correct it in the list',
    )
  })

  test('A–Z of an e-mail are lowercased and nothing else is; an order stays as it is', async () => {
    const [order] = await ordersIn('order,email,amount\n Ab ,AZ.\u212aelvin@Example.COM,1000')
    deepEqual([order?.orderId, order?.userEmail], [' Ab ', 'az.\u212aelvin@example.com'])
  })

  test('with both amount and points: they must agree, unless one is chosen', async () => {
    const file = 'order,email,amount,points\na,x@example.com,5999,5\nb,x@example.com,5999,6'
    const problems = (await ordersIn(file)).map(({ problem }) => problem)
    deepEqual(problems, [null, 'an amount of 5999 gives 5 EP, but points says 6'])
    const points = async (given: object) => (await ordersIn(file, given)).map((order) => order.points)
    deepEqual(await points({ points: 'points' }), [5, 6])
    deepEqual(await points({ amount: 'amount' }), [5, 5])
  })

  test('columns are found by what people call them', async () => {
    const headings = [
      'Order ID|E-Mail Address|Order Total',
      'order_id|user_email|raw_amount',
      'ORDER|Mail|EP',
      'Mã đơn hàng|Email|Số tiền',
      'Order|Email|Amount (VND)',
      'Order|Email|Total_VND',
      'Order|Email|Số tiền (₫)',
      'Order|Email|Points (EP)',
    ]
    for (const heading of headings) {
      const [order] = await ordersIn(`${heading.replaceAll('|', ';')}\na;x@example.com;5000`)
      equal(order?.orderId, 'a', heading)
      equal(order?.problem, null, heading)
    }
  })

  test('a total in EP is the points, not an amount of which a thousandth would be credited', async () => {
    const [order] = await ordersIn('Order;Email;Total (EP)\na;x@example.com;5000')
    deepEqual([order?.amount, order?.points], [null, 5000])
  })
})
