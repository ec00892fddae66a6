import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { InvalidArgumentError, PartnerCredit, TimeoutError } from '../src/index.ts'
import { startFaultyProxy } from './faulty-proxy.ts'
import { anOrder, clientInTestTime, startLive } from './live-service.ts'

describe('a call that takes too long', async () => {
  const { service, options, credit } = await startLive({ after })
  const proxy = await startFaultyProxy({ after }, service.url)
  const viaProxy = { ...options, baseUrl: proxy.url }

  for (const fault of ['is never answered', 'is never answered whole'] as const) {
    test(`each attempt ends after timeoutMs: a request that ${fault}`, async () => {
      const client = clientInTestTime({ ...viaProxy, timeoutMs: 100, retries: 1 }, service)
      proxy.next(fault, fault)
      const order = anOrder()
      await rejects(client.award(order), (error) => {
        ok(error instanceof TimeoutError)
        deepEqual([error.code, error.attempts, error.retryable, error.status], ['TIMEOUT', 2, true, null])
        return /within 100 ms/.test(error.message)
      })
      equal((await credit.award(order)).points, 5)
      const items = await Array.fromAsync(credit.awards({ tenantId: 't1' }))
      equal(items.filter(({ orderId }) => orderId === order.orderId).length, 1)
    })
  }

  test('after a timeout the order is sent again', async () => {
    const client = clientInTestTime({ ...viaProxy, timeoutMs: 60_000 }, service)
    proxy.next('is never answered')
    equal((await client.award(anOrder(), { timeoutMs: 500 })).points, 5)
  })

  test('a signal that is aborted ends the attempt with its reason', async () => {
    const controller = new AbortController()
    const reason = new Error('the shop closes')
    proxy.next('is never answered')
    const arrival = proxy.arrival()
    const call = new PartnerCredit(viaProxy).award(anOrder(), { signal: controller.signal })
    await Promise.all([
      arrival.then(() => controller.abort(reason)),
      rejects(call, (error) => error === reason),
    ])
  })

  test('a signal that is aborted ends the wait before a retry', async () => {
    const controller = new AbortController()
    proxy.next({ status: 503, headers: { 'retry-after': '29' } })
    const seen = proxy.seen.length
    const fetchThenAbort: typeof fetch = async (url, init) => {
      const response = await fetch(url, init)
      setTimeout(() => controller.abort(), 50)
      return response
    }
    const client = new PartnerCredit({ ...viaProxy, fetch: fetchThenAbort })
    await rejects(client.award(anOrder(), { signal: controller.signal }), { name: 'AbortError' })
    equal(proxy.seen.length, seen + 1)
  })

  test('a signal that was aborted before sends nothing', async () => {
    const seen = proxy.seen.length
    const client = new PartnerCredit(viaProxy)
    await rejects(client.award(anOrder(), { signal: AbortSignal.abort() }), { name: 'AbortError' })
    await rejects(client.awards.page({ tenantId: 't1' }, { signal: AbortSignal.abort() }), {
      name: 'AbortError',
    })
    equal(proxy.seen.length, seen)
  })

  test('a signal bounds a whole walk', async () => {
    const controller = new AbortController()
    for (let count = 0; count < 3; count++) await credit.award(anOrder())
    const walk = credit.awards({ tenantId: 't1', pageSize: 1 }, { signal: controller.signal })
    await walk.next()
    controller.abort()
    await rejects(walk.next(), { name: 'AbortError' })
  })

  test('a call that ends leaves no listener on the signal', async () => {
    const { signal } = new AbortController()
    let listeners = 0
    const add = signal.addEventListener.bind(signal)
    const remove = signal.removeEventListener.bind(signal)
    signal.addEventListener = (...args: Parameters<typeof add>) => {
      listeners++
      add(...args)
    }
    signal.removeEventListener = (...args: Parameters<typeof remove>) => {
      listeners--
      remove(...args)
    }
    const client = new PartnerCredit(viaProxy)
    proxy.next({ status: 503 })
    await client.award(anOrder(), { signal })
    equal(listeners, 0)
  })

  test('a timeout that is no number of milliseconds is refused', async () => {
    for (const timeoutMs of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '5000' as never]) {
      await rejects(credit.award(anOrder(), { timeoutMs }), InvalidArgumentError)
    }
  })
})
