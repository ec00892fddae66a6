import { deepEqual, equal } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { PartnerCredit, sign } from '../src/index.ts'
import { createSigner } from '../src/sign.ts'
import { startFaultyProxy } from './faulty-proxy.ts'
import { anOrder, clientInTestTime, startLive } from './live-service.ts'

describe('a call is made with what its arguments were when it was called', async () => {
  const { service, options, credit } = await startLive({ after })
  const proxy = await startFaultyProxy({ after }, service.url)
  const viaProxy = { ...options, baseUrl: proxy.url }

  test('an order that the caller changes while award() waits is credited, and named, as it was', async () => {
    for (const duplicate of [false, true]) {
      const order = anOrder({ orderId: 'reused', userEmail: 'reused@example.com' })
      const awarded = credit.award(order)
      Object.assign(order, anOrder())
      const result = await awarded
      deepEqual([result.orderId, result.duplicate], ['reused', duplicate])
    }
  })

  test('a query that the caller changes while awards.page() waits', async () => {
    await credit.award(anOrder({ orderId: 'listed' }))
    const query = { tenantId: 't1', limit: 1, cursor: null as string | null }
    const page = credit.awards.page(query)
    query.tenantId = 't2'
    const { tenantId, items, nextCursor } = await page
    deepEqual([tenantId, items[0]?.orderId], ['t1', 'listed'])
    query.tenantId = 't1'
    const again = credit.awards.page(query)
    query.cursor = nextCursor
    equal((await again).nextCursor, nextCursor)
  })

  test('a query that the caller changes before the first award of awards() is read', async () => {
    const query = { tenantId: 't1', pageSize: 100, cursor: null as string | null }
    const walk = credit.awards(query)
    Object.assign(query, { tenantId: 't2', pageSize: 0, cursor: 'other' })
    const first = await walk.next()
    equal(first.done, false)
  })

  test('options that the caller changes between two attempts', async () => {
    const client = clientInTestTime(viaProxy, service)
    const callOptions = { timeoutMs: 10_000, signal: new AbortController().signal }
    proxy.next({ status: 503 })
    const arrival = proxy.arrival()
    const awarded = client.award(anOrder(), callOptions)
    await arrival
    Object.assign(callOptions, { timeoutMs: 0, signal: AbortSignal.abort() })
    equal((await awarded).duplicate, false)
  })

  test('options that the caller changes between two pages', async () => {
    await credit.award(anOrder())
    await credit.award(anOrder())
    const callOptions = { timeoutMs: 10_000, signal: new AbortController().signal }
    let count = 0
    for await (const _ of new PartnerCredit(options).awards({ tenantId: 't1', pageSize: 1 }, callOptions)) {
      Object.assign(callOptions, { timeoutMs: 0, signal: AbortSignal.abort() })
      if (++count === 2) break
    }
    equal(count, 2)
  })

  test('bytes that the caller changes while sign() waits are signed as they were', async () => {
    const signed = { signingSecret: 'pcs_example', timestamp: '1763182800000' }
    const expected = await sign({ ...signed, payload: '{"a":1}' })
    const payload = new TextEncoder().encode('{"a":1}')
    for (const signature of [
      () => sign({ ...signed, payload }),
      () => createSigner(signed.signingSecret)({ ...signed, payload }),
    ]) {
      payload.set(new TextEncoder().encode('{"a":1}'))
      const promise = signature()
      payload.fill(0)
      equal(await promise, expected)
    }
  })
})
