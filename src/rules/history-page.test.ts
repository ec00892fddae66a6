import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { anEntry } from '../../test/support/awards.ts'
import { readCursor } from './cursor.ts'
import type { Entry } from './entry.ts'
import { type HistoryItem, historyPage } from './history-page.ts'

const account = { partnerId: 'acme', tenantId: 't1' }

test('an item shows the six fields of the specification and no other', () => {
  const entry = anEntry({ awardedAt: Date.parse('2026-03-01T16:59:59.999Z') })
  assert.deepEqual(historyPage(account, 20, [entry]).items, [
    {
      epTransactionId: entry.epTransactionId,
      orderId: 'A1',
      userEmail: 'lan@example.vn',
      points: 5,
      note: 'for your order',
      awardedAt: '2026-03-01T16:59:59.999Z',
    },
  ])
})

test('a note that was not sent is null', () => {
  assert.equal(historyPage(account, 20, [anEntry({ note: null })]).items[0]!.note, null)
})

test('an entry with a time that is no date is named, without its user', () => {
  const entry = anEntry({ seq: 7, awardedAt: 9e15 })
  assert.throws(
    () => historyPage(account, 20, [entry]),
    /^Error: a row of entries \(acme\/t1, seq 7\) cannot be read: it holds the time 9000000000000000, (?!.*lan@)/,
  )
})

test('a page without awards is empty and the last', () => {
  assert.deepEqual(historyPage(account, 20, []), { tenantId: 't1', items: [], nextCursor: null })
})

test('with exactly limit entries left, nextCursor is null', () => {
  const page = historyPage(account, 2, ledger(2))
  assert.equal(page.items.length, 2)
  assert.equal(page.nextCursor, null)
})

test('with one entry more than the limit, nextCursor stands behind the last item shown', () => {
  const page = historyPage(account, 2, ledger(3))
  assert.deepEqual(orders(page.items), ['order 3', 'order 2'])
  assert.equal(readCursor(account, page.nextCursor!), 2)
})

test('nextCursor is bound to partner and tenant', () => {
  const { nextCursor } = historyPage(account, 1, ledger(2))
  assert.equal(readCursor({ ...account, partnerId: 'other' }, nextCursor!), null)
  assert.equal(readCursor({ ...account, tenantId: 't2' }, nextCursor!), null)
})

test('a walk shows every award that was there when it began, each once, newest first', () => {
  fc.assert(
    fc.property(fc.nat(60), fc.integer({ min: 1, max: 25 }), fc.nat(3), (count, limit, addedPerPage) => {
      const seen: HistoryItem[] = []
      let [entries, beforeSeq] = [ledger(count), Number.POSITIVE_INFINITY]
      for (;;) {
        const found = entries.filter(({ seq }) => seq < beforeSeq).slice(0, limit + 1)
        const { items, nextCursor } = historyPage(account, limit, found)
        seen.push(...items)
        if (nextCursor === null) break
        assert.equal(items.length, limit)
        beforeSeq = readCursor(account, nextCursor)!
        entries = ledger(entries.length + addedPerPage)
      }
      assert.deepEqual(orders(seen), orders(ledger(count)))
    }),
  )
})

/** The entries 1 to count, newest first. */
function ledger(count: number): Entry[] {
  return Array.from({ length: count }, (_, index) =>
    anEntry({ seq: count - index, orderId: `order ${count - index}` }),
  )
}

function orders(items: { orderId: string }[]): string[] {
  return items.map(({ orderId }) => orderId)
}
