import { deepEqual, equal, match, ok, rejects } from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, describe, test } from 'node:test'
import { InvalidArgumentError, PartnerCredit, UnexpectedResponseError } from '../src/index.ts'
import { startFaultyProxy } from './faulty-proxy.ts'
import { anOrder, startLive } from './live-service.ts'

describe('award()', async () => {
  const { service, options, credit } = await startLive({ after })
  const proxy = await startFaultyProxy({ after }, service.url)

  test('credits an order and tells what is left of the day', async () => {
    const { epTransactionId, requestId, dayResetsAt, ...award } = await credit.award(
      anOrder({ orderId: 'first', amount: 5250 }),
    )
    match(epTransactionId, /^[0-9a-f-]{36}$/)
    match(requestId, /^[0-9a-f-]{36}$/)
    match(dayResetsAt ?? '', /T17:00:00\.000Z$/)
    deepEqual(award, {
      status: 'COMPLETED',
      orderId: 'first',
      points: 5,
      duplicate: false,
      partnerDayRemaining: 999_995,
      sandbox: false,
    })
  })

  test('the same order again is the first award, as a duplicate', async () => {
    const order = anOrder()
    const first = await credit.award(order)
    const { requestId, ...again } = await credit.award({ ...order, userEmail: order.userEmail.toUpperCase() })
    const { epTransactionId, status, orderId, points } = first
    deepEqual(again, {
      epTransactionId,
      status,
      orderId,
      points,
      duplicate: true,
      partnerDayRemaining: null,
      dayResetsAt: null,
      sandbox: false,
    })
  })

  const awkward = {
    'emoji and letters of many bytes': anOrder({ orderId: 'đơn 🎉', note: 'Cảm ơn 👩‍👩‍👧 ☕' }),
    'line ends of all kinds': anOrder({ note: 'a\r\nb\nc\rd\te' }),
    'what JSON escapes': anOrder({
      note: '"\\/\u2028\u2029',
      meta: { 'a"b': ['<', null, 1.5, { c: true }] },
    }),
    'note and meta that are null': anOrder({ note: null, meta: null }),
    'note and meta that are empty': anOrder({ note: '', meta: {} }),
    'a large meta': anOrder({ meta: { text: '🎉'.repeat(4000) } }),
    'the largest amount that fits the cap': anOrder({ amount: 9_999_999 }),
    'dates in meta, which JSON writes as text': anOrder({ meta: { shipped: new Date(0) } }),
  }
  for (const [name, order] of Object.entries(awkward)) {
    test(`signs the bytes that it sends: ${name}`, async () => {
      equal((await credit.award(order)).duplicate, false)
      equal((await credit.award(order)).duplicate, true)
      const { items } = await credit.awards.page({ tenantId: 't1', limit: 1 })
      deepEqual([items[0]?.orderId, items[0]?.note], [order.orderId, order.note ?? null])
    })
  }

  test('an order may be an object of any class', async () => {
    class Order {
      tenantId = 't1'
      userEmail = 'ann@example.com'
      amount = 5000
      get orderId() {
        return 'from a getter'
      }
    }
    equal((await credit.award(new Order())).orderId, 'from a getter')
  })

  test('many at once share one client', async () => {
    const awards = await Promise.all(Array.from({ length: 50 }, () => credit.award(anOrder())))
    equal(new Set(awards.map(({ epTransactionId }) => epTransactionId)).size, 50)
  })

  test('keeps the path of baseUrl, with or without a slash at its end', async () => {
    for (const baseUrl of [proxy.url, `${proxy.url}/`, new URL(proxy.url)]) {
      const viaProxy = new PartnerCredit({ ...options, baseUrl })
      equal(viaProxy.baseUrl, proxy.url)
      await viaProxy.award(anOrder())
      equal(proxy.seen.at(-1)?.url, '/prefix/v1/ep/webhook')
    }
  })

  test('the requestId is the one in the log of the service', async () => {
    const { requestId } = await credit.award(anOrder())
    equal(service.log.filter((line) => line.includes(requestId)).length, 1)
  })

  test('a success that is no award of this order is not taken for one', async () => {
    const viaProxy = new PartnerCredit({ ...options, baseUrl: proxy.url })
    const award = { epTransactionId: 'x', status: 'COMPLETED', points: 5 }
    for (const body of [
      '<html>',
      '{}',
      '[]',
      'null',
      '',
      JSON.stringify(award),
      JSON.stringify({ ...award, orderId: 'another' }),
      ...[-5, 0, 1e300].map((points) => JSON.stringify({ ...award, code: 'DUPLICATE', points })),
    ]) {
      proxy.next({ status: 202, body })
      const seen = proxy.seen.length
      await rejects(viaProxy.award(anOrder()), UnexpectedResponseError, body)
      equal(proxy.seen.length, seen + 1, 'it is not sent again')
    }
  })

  test('of an answer that never ends, only a few megabytes are read', async (t) => {
    let sent = 0
    const endless = createServer((_, response) => {
      const space = Buffer.alloc(65_536, ' ')
      const more = () => {
        while (!response.destroyed && response.write(space)) sent += space.length
      }
      response.writeHead(202).on('drain', more)
      more()
    })
    endless.listen(0, '127.0.0.1')
    await once(endless, 'listening')
    t.after(() => void endless.closeAllConnections())
    t.after(() => endless.close())
    const { port } = endless.address() as AddressInfo
    const client = new PartnerCredit({ ...options, baseUrl: `http://127.0.0.1:${port}` })
    await rejects(client.award(anOrder()), UnexpectedResponseError)
    ok(sent < 50_000_000, `${sent} bytes were sent`)
  })

  const mistakes: [name: string, order: unknown, message: RegExp][] = [
    ['nothing', undefined, /must be an object/],
    ['a string', 'order-1', /must be an object/],
    ['nothing in it', {}, /tenantId is missing; orderId is missing; userEmail is missing; amount is missing/],
    ['a number as orderId', anOrder({ orderId: 17 as never }), /orderId must be a string, not a number/],
    ['an empty orderId', anOrder({ orderId: '' }), /orderId must not be empty/],
    ['a string as amount', anOrder({ amount: '5000' as never }), /amount must be a number, not a string/],
    ['a fraction', anOrder({ amount: 10.5 }), /amount must be a whole number of raw units/],
    ['zero', anOrder({ amount: 0 }), /amount must be greater than zero/],
    ['an amount that was rounded', anOrder({ amount: 2 ** 53 }), /amount must be at most 9007199254740991/],
    ['NaN', anOrder({ amount: Number.NaN }), /amount must be a whole number/],
    ['a number as note', anOrder({ note: 1 as never }), /note must be a string/],
    ['a list as meta', anOrder({ meta: [] as never }), /meta must be a plain object/],
    ['a Map as meta', anOrder({ meta: new Map() as never }), /meta must be a plain object/],
    [
      'a Map inside meta',
      anOrder({ meta: { a: [new Map()] } }),
      /meta cannot be written as JSON: it has a Map/,
    ],
    ['NaN inside meta', anOrder({ meta: { a: Number.NaN } }), /meta cannot be written as JSON: it has .*NaN/],
    ['a bigint inside meta', anOrder({ meta: { a: 1n } }), /meta cannot be written as JSON: .*BigInt/],
    ['a circle', anOrder({ meta: circle() }), /meta cannot be written as JSON: .*circular/i],
    ['a field too many', { ...anOrder(), email: 'x' }, /email is not a field of an award: put .* into meta/],
  ]
  for (const [name, order, message] of mistakes) {
    test(`refuses before anything is sent: ${name}`, async () => {
      const requests = service.log.length
      await rejects(credit.award(order as never), (error) => {
        match((error as Error).message, message)
        return error instanceof InvalidArgumentError && error.attempts === 0 && !error.retryable
      })
      equal(service.log.length, requests)
    })
  }
})

function circle(): Record<string, unknown> {
  const meta: Record<string, unknown> = {}
  meta.meta = meta
  return meta
}
