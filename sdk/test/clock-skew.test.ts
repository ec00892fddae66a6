import { deepEqual, equal, ok, rejects } from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { PartnerCredit, TimestampOutOfRangeError } from '../src/index.ts'
import { startFaultyProxy } from './faulty-proxy.ts'
import { anOrder, clientInTestTime, startLive } from './live-service.ts'

const hourMs = 3_600_000

describe('a clock that is wrong', async () => {
  const { service, options, credit } = await startLive({ after })
  const proxy = await startFaultyProxy({ after }, service.url)
  const viaProxy = { ...options, baseUrl: proxy.url }

  for (const skewMs of [-hourMs, hourMs, -10 * 365 * 24 * hourMs]) {
    test(`by ${skewMs} ms is corrected by the service's, once, without a wait`, async () => {
      const client = clientInTestTime(viaProxy, service, { skewMs: () => skewMs })
      const seen = proxy.seen.length
      equal((await client.award(anOrder())).points, 5)
      await client.award(anOrder())
      await client.awards.page({ tenantId: 't1' })
      const timestamps = proxy.seen.slice(seen).map(({ headers }) => Number(headers['x-timestamp']))
      const now = service.clock.now()
      deepEqual(timestamps, [now + skewMs, now, now, now], 'the correction is kept')
      deepEqual(client.waits, [])
    })
  }

  test('that is set right later is corrected again', async () => {
    let skewMs = hourMs
    const client = clientInTestTime(options, service, { skewMs: () => skewMs })
    await client.award(anOrder())
    skewMs = 0
    equal((await client.award(anOrder())).points, 5)
  })

  test('is corrected without retries too, and in the time of this machine', async () => {
    const away = await startLive({ after })
    away.service.clock.advance(-hourMs)
    const impatient = new PartnerCredit({ ...away.options, retries: 0 })
    equal((await impatient.award(anOrder())).points, 5)
    equal((await credit.award(anOrder())).points, 5, 'each client has its own correction')
  })

  test('that cannot be corrected is said with both times', async () => {
    const client = clientInTestTime(viaProxy, service)
    const serverTime = service.clock.now() + hourMs
    const refusal = {
      status: 401,
      body: JSON.stringify({ code: 'TIMESTAMP_OUT_OF_RANGE', detail: 'no', serverTime, skewMs: -hourMs }),
    }
    proxy.next(refusal, refusal)
    await rejects(client.award(anOrder()), (error) => {
      ok(error instanceof TimestampOutOfRangeError)
      deepEqual(
        [error.serverTime, error.skewMs, error.attempts, error.retryable],
        [serverTime, -hourMs, 2, false],
      )
      return true
    })
  })
})
