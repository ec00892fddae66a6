import { deepEqual, equal, match, ok, rejects, throws } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import {
  InvalidArgumentError,
  InvalidRequestError,
  PartnerCredit,
  UnexpectedResponseError,
} from '../src/index.ts'
import { startFaultyProxy } from './faulty-proxy.ts'
import { anOrder, startLive } from './live-service.ts'

describe('awards()', async () => {
  const { service, options, credit } = await startLive({ after })
  const proxy = await startFaultyProxy({ after }, service.url)
  const viaProxy = new PartnerCredit({ ...options, baseUrl: proxy.url })
  const orderIds = Array.from({ length: 120 }, (_, index) => `a-${index}`)
  for (const orderId of orderIds) await credit.award(anOrder({ orderId, note: `note of ${orderId}` }))
  const newestFirst = orderIds.toReversed()

  test('walks every award, newest first, in pages of 100', async () => {
    const seen = proxy.seen.length
    const items = await Array.fromAsync(viaProxy.awards({ tenantId: 't1' }))
    deepEqual(
      items.map(({ orderId }) => orderId),
      newestFirst,
    )
    const urls = proxy.seen.slice(seen).map(({ url }) => url)
    equal(urls.length, 2)
    match(urls[0]!, /^\/prefix\/v1\/ep\/webhook\/awards\?tenantId=t1&limit=100$/)
    match(urls[1]!, /\?tenantId=t1&limit=100&cursor=[\w-]+$/)
    const { epTransactionId, awardedAt, ...first } = items[0]!
    deepEqual(first, {
      orderId: 'a-119',
      userEmail: first.userEmail,
      points: 5,
      note: 'note of a-119',
    })
    equal(new Date(awardedAt).toISOString(), awardedAt)
    match(epTransactionId, /^[0-9a-f-]{36}$/)
  })

  test('asks for a page only when it is needed', async () => {
    const seen = proxy.seen.length
    for await (const { orderId } of viaProxy.awards({ tenantId: 't1', pageSize: 10 })) {
      if (orderId === newestFirst[14]) break
    }
    equal(proxy.seen.length - seen, 2)
  })

  test('continues after a cursor', async () => {
    const { nextCursor } = await credit.awards.page({ tenantId: 't1', limit: 100 })
    const rest = await Array.fromAsync(credit.awards({ tenantId: 't1', cursor: nextCursor, pageSize: 7 }))
    deepEqual(
      rest.map(({ orderId }) => orderId),
      newestFirst.slice(100),
    )
  })

  test('stops when a page names itself as the next one, as with a cache that disregards the query', async () => {
    const first = await credit.awards.page({ tenantId: 't1', limit: 10 })
    proxy.next(answered(first), answered(first))
    const seen: (string | null)[] = []
    const walk = async () => {
      for await (const { orderId } of viaProxy.awards({ tenantId: 't1', pageSize: 10 })) seen.push(orderId)
    }
    await rejects(walk, (error) => {
      ok(error instanceof UnexpectedResponseError)
      match(error.message, /names itself as the next one.*a cache/)
      return true
    })
    deepEqual(seen, newestFirst.slice(0, 10))
  })

  test('stops when pages lead back to an earlier one, or to ever more empty ones', async () => {
    const { items } = await credit.awards.page({ tenantId: 't1', limit: 1 })
    const walk = () => Array.fromAsync(viaProxy.awards({ tenantId: 't1' }))
    const page = { tenantId: 't1', items }
    proxy.next(...['A', 'B', 'A'].map((nextCursor) => answered({ ...page, nextCursor })))
    await rejects(walk, /names one before it as the next one/)
    proxy.next(answered({ ...page, items: [], nextCursor: 'A' }))
    await rejects(walk, /the page is empty and names a next one/)
  })

  test('a page with something else than awards is not taken for one', async () => {
    const [item] = (await credit.awards.page({ tenantId: 't1', limit: 1 })).items
    const changes = [{ points: -5 }, { points: 1e300 }, { points: '5' }, { orderId: {} }, { awardedAt: null }]
    for (const other of [null, 5, {}, ...changes.map((change) => ({ ...item, ...change }))]) {
      proxy.next(answered({ tenantId: 't1', items: [item, other], nextCursor: null }))
      await rejects(viaProxy.awards.page({ tenantId: 't1' }), UnexpectedResponseError)
    }
  })

  test('a tenant without awards has none', async () => {
    deepEqual(await Array.fromAsync(credit.awards({ tenantId: 't2' })), [])
    deepEqual(await credit.awards.page({ tenantId: 't2' }), {
      tenantId: 't2',
      items: [],
      nextCursor: null,
      sandbox: false,
    })
  })

  test('page() gets one, of 20 by default', async () => {
    const { items, nextCursor, tenantId } = await credit.awards.page({ tenantId: 't1' })
    deepEqual([items.length, tenantId], [20, 't1'])
    const next = await credit.awards.page({ tenantId: 't1', limit: 3, cursor: nextCursor })
    deepEqual(
      next.items.map(({ orderId }) => orderId),
      newestFirst.slice(20, 23),
    )
  })

  test('awards and page work without their object', async () => {
    const { awards } = credit
    const { page } = awards
    equal((await page({ tenantId: 't1' })).items.length, 20)
    equal((await awards({ tenantId: 't1' }).next()).done, false)
  })

  test('a broken connection in the middle of a walk is recovered by a retry of that page', async () => {
    const { items: some } = await credit.awards.page({ tenantId: 't1', limit: 1 })
    proxy.next(answered({ tenantId: 't1', items: some, nextCursor: 'AA' }), 'is lost')
    const items = await Array.fromAsync(viaProxy.awards({ tenantId: 't1' })).catch(({ code }) => code)
    equal(items, 'INVALID_REQUEST', 'the cursor that the proxy made up reaches the service at last')
  })

  test('a tenant of any characters is signed decoded and sent encoded', async () => {
    for (const tenantId of ['a&limit=1', 'cà phê/🎉 +%41', '?#=;']) {
      await rejects(credit.awards.page({ tenantId }), (error) => {
        ok(error instanceof InvalidRequestError, 'the signature was right, the rule is broken')
        deepEqual(
          error.errors.map(({ parameter }) => parameter),
          ['tenantId'],
        )
        return true
      })
    }
  })

  test('a success that is no page of this tenant is not taken for one', async () => {
    const page = { tenantId: 't1', items: [], nextCursor: null }
    for (const body of ['<html>', '{}', '[]', { ...page, tenantId: 't2' }, { ...page, nextCursor: 7 }]) {
      proxy.next({ status: 200, body: typeof body === 'string' ? body : JSON.stringify(body) })
      await rejects(viaProxy.awards.page({ tenantId: 't1' }), UnexpectedResponseError)
    }
  })

  const mistakes: [query: unknown, message: RegExp][] = [
    [undefined, /must be an object with a tenantId/],
    ['t1', /must be an object with a tenantId/],
    [{}, /tenantId must be a string/],
    [{ tenantId: '' }, /tenantId must be a string/],
    [{ tenantId: '\ud83c' }, /tenantId must be a string of characters/],
    [{ tenantId: 't1', cursor: 7 }, /cursor must be a nextCursor as it came/],
    [{ tenantId: 't1', signal: 7 }, /signal belongs in the second argument/],
    [{ tenantId: 't1', page: 7 }, /page is not a parameter here/],
  ]
  for (const [query, message] of mistakes) {
    test(`refuses before anything is sent: ${JSON.stringify(query)}`, async () => {
      throws(() => credit.awards(query as never), InvalidArgumentError)
      throws(() => credit.awards(query as never), message)
      await rejects(credit.awards.page(query as never), message)
    })
  }

  test('limit is for one page, pageSize for a walk, and both go from 1 to 100', async () => {
    throws(
      () => credit.awards({ tenantId: 't1', limit: 5 } as never),
      /walks all pages, and pageSize is their/,
    )
    await rejects(
      credit.awards.page({ tenantId: 't1', pageSize: 5 } as never),
      /size of one page is its limit/,
    )
    for (const count of [0, 101, 1.5, '5', Number.NaN]) {
      throws(() => credit.awards({ tenantId: 't1', pageSize: count as never }), /from 1 to 100/)
      await rejects(credit.awards.page({ tenantId: 't1', limit: count as never }), /from 1 to 100/)
    }
  })
})

function answered(body: unknown) {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
}
