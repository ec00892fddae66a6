import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { setPartnerCaps } from '../../src/partners/set-partner-caps.ts'
import { problemCodes } from '../../src/wire/problems/catalog.ts'
import { anAward } from '../support/awards.ts'
import { eventually } from '../support/eventually.ts'
import { makePartner } from '../support/operators.ts'
import { sendRaw } from '../support/raw-http.ts'
import { scrape, sumOf } from '../support/scrape.ts'
import { startService } from '../support/service.ts'
import { aStoreLedger } from '../support/store-ledger.ts'
import { recordNotSound, recordVerified } from '../support/verify-results.ts'

const requests = 'partner_credit_requests_total'
const webhook = { listener: 'partner', route: '/v1/ep/webhook' }

/** In this order: the first one counts what there is. */
test('the metrics of a running server', async (t) => {
  const { acme, url, clock, config, operatorUrl, dump } = await startService(
    t,
    { CAP_PER_TX: '10' },
    { nodes: 1 },
  )

  await t.test(
    'every response is counted by route, status and code, and every commit by its size',
    async () => {
      const order = { orderId: 'order-0', userEmail: 'ann@example.com' }
      await acme.award(order)
      for (let count = 1; count < 3; count++) await acme.award({ orderId: `order-${count}` })
      await acme.award(order)
      await acme.award({ amount: 11_000 })
      await acme.award({}, { 'X-Signature': '0'.repeat(64) })
      await eventually(
        'all are counted',
        async () => sumOf(await scrape(operatorUrl), requests, webhook) >= 6,
      )

      const samples = await scrape(operatorUrl)
      for (const [code, status, count] of [
        ['OK', '202', 3],
        ['DUPLICATE', '200', 1],
        ['PER_TX_CAP_EXCEEDED', '422', 1],
        ['INVALID_SIGNATURE', '401', 1],
      ] as const) {
        assert.equal(sumOf(samples, requests, { ...webhook, code, status }), count, code)
      }
      assert.equal(sumOf(samples, requests, webhook), 6)
      assert.equal(sumOf(samples, 'partner_credit_request_duration_seconds_count', webhook), 6)
      assert.equal(sumOf(samples, 'partner_credit_batch_size_sum'), 5)
      assert.equal(sumOf(samples, 'partner_credit_commit_duration_seconds_count'), 5)
      assert.equal(sumOf(samples, 'partner_credit_awards_waiting'), 0)
      assert.equal(sumOf(samples, 'partner_credit_processes'), 1)
    },
  )

  await t.test('the buckets of a histogram rise to its count', async () => {
    const before = sumOf(await scrape(operatorUrl), requests, webhook)
    for (let count = 0; count < 20; count++) await acme.award()
    await eventually(
      'all are counted',
      async () => sumOf(await scrape(operatorUrl), requests, webhook) >= before + 20,
    )
    const samples = await scrape(operatorUrl)
    const name = 'partner_credit_request_duration_seconds'
    const counts = samples
      .filter((sample) => sample.name === `${name}_bucket` && sample.labels.route === webhook.route)
      .map(({ value }) => value)
    assert.deepEqual(
      counts,
      counts.toSorted((a, b) => a - b),
    )
    assert.equal(counts.at(-1), sumOf(samples, `${name}_count`, webhook))
  })

  await t.test('labels come from our own lists: nothing that a client wrote becomes one', async () => {
    const counted = async () => sumOf(await scrape(operatorUrl), requests, { listener: 'partner' })
    const before = await counted()
    await acme.award({ orderId: 'order-secret', userEmail: 'ann@example.com', tenantId: 'no-such-tenant' })
    await fetch(`${url}/ann@example.com?orderId=order-secret`)
    await fetch(`${url}/v1/ep/webhook`, { method: 'DELETE' })
    await fetch(`${url}/docs/errors/order-secret`)
    await sendRaw(url, 'NOT HTTP\r\n\r\n')
    await eventually('all are counted', async () => (await counted()) >= before + 4)

    const samples = await scrape(operatorUrl)
    assert.equal(
      sumOf(samples, 'partner_credit_refused_total', { listener: 'partner', kind: 'brokenHttp' }),
      1,
    )
    const values = (label: string) => new Set(samples.flatMap(({ labels }) => labels[label] ?? []))
    const codes = new Set(['OK', 'DUPLICATE', ...problemCodes])
    assert.deepEqual(values('code').difference(codes), new Set())
    assert.deepEqual(
      new Set(samples.flatMap(({ labels }) => Object.keys(labels))).difference(
        new Set(['listener', 'route', 'status', 'code', 'le', 'kind', 'step', 'pool', 'state', 'partner']),
      ),
      new Set(),
    )
    assert.doesNotMatch(JSON.stringify(samples), /secret|ann@|no-such|pck_|key_/)
  })

  await t.test(
    'the age of the last sound verify, and that a later one found the ledger not sound, is known to a running server, and nothing is written to the ledger',
    async () => {
      await acme.award()
      const age = 'partner_credit_verify_age_seconds'
      assert.equal(
        (await scrape(operatorUrl)).some(({ name }) => name === age),
        false,
      )
      const before = await dump()
      await recordVerified(config.database, clock.now() - 5_000)
      await eventually('the server knows', async () => sumOf(await scrape(operatorUrl), age) === 5)
      const notSound = 'partner_credit_verify_not_sound'
      assert.equal(sumOf(await scrape(operatorUrl), notSound), 0)
      await recordNotSound(config.database, clock.now())
      await eventually('the server knows', async () => sumOf(await scrape(operatorUrl), notSound) === 1)
      assert.equal(sumOf(await scrape(operatorUrl), age), 5)
      assert.equal(await dump(), before)
    },
  )

  await t.test(
    'what only one kind of database has is there on that one: a log that we shorten, connections, another clock',
    async () => {
      await acme.award()
      const names = new Set<string>()
      await eventually('the database has been asked', async () => {
        for (const { name } of await scrape(operatorUrl)) names.add(name)
        return names.has('partner_credit_day_usage_ratio')
      })
      const onSqlite = ['partner_credit_wal_bytes', 'partner_credit_checkpoint_duration_seconds_count']
      const onPostgres = ['partner_credit_database_connections', 'partner_credit_clock_difference_seconds']
      for (const name of onSqlite) assert.equal(names.has(name), config.database.kind === 'sqlite', name)
      for (const name of onPostgres) assert.equal(names.has(name), config.database.kind === 'postgres', name)
    },
  )

  await t.test('the page on monitoring lists the metrics that exist, and no others', async () => {
    const lists = new Set(
      [...readFileSync('docs/operator/monitoring.md', 'utf8').matchAll(/^\| `([a-z]+_\w+)` \|/gm)].map(
        ([, name]) => name!,
      ),
    )
    const types = /^# TYPE (\w+) /gm
    const exist = new Set<string>()
    await eventually('the database has been asked', async () => {
      const text = await (await fetch(`${operatorUrl}/metrics`)).text()
      for (const [, name] of text.matchAll(types)) exist.add(name!)
      return exist.has('partner_credit_day_usage_ratio')
    })
    const ofOthers =
      config.database.kind === 'sqlite' ? /^partner_credit_database_/ : /^partner_credit_(wal|checkpoint)_/
    assert.deepEqual(exist.difference(lists), new Set())
    assert.deepEqual(
      [...lists.difference(exist)].filter((name) => !ofOthers.test(name)),
      [],
    )
  })
})

test('the 20 partners that are nearest to their daily cap are there, each with its fullest tenant', async (t) => {
  const { store, operator, clock } = await aStoreLedger(t, { perPartnerDay: 100 })
  const partners = Array.from({ length: 22 }, (_, index) => `partner-${String(index).padStart(2, '0')}`)
  const award = (partnerId: string, points: number, tenantId = 't1') =>
    store.ledger.award(
      anAward({
        partnerId,
        tenantId,
        orderId: `${partnerId} ${tenantId}`,
        epTransactionId: crypto.randomUUID(),
        userEmail: `${partnerId}@example.com`,
        amount: points * 1000,
      }),
    )
  for (const [index, partnerId] of partners.entries()) {
    await makePartner(operator, { partnerId, tenants: ['t1', 't2'] })
    await award(partnerId, index + 1)
  }
  await award('partner-00', 90, 't2')
  await makePartner(operator, { partnerId: 'tester', tenants: [], sandboxTenants: ['sandbox'] })
  await award('tester', 95, 'sandbox')
  await setPartnerCaps(operator, 'partner-01', { perTx: null, perPartnerDay: 2 }, undefined)
  await setPartnerCaps(operator, 'partner-02', { perTx: null, perPartnerDay: 0 }, undefined)

  const usage = await store.readings.dayUsage()
  assert.equal(usage.length, 20)
  assert.deepEqual(usage.slice(0, 4), [
    { partnerId: 'partner-01', ratio: 1 },
    { partnerId: 'partner-02', ratio: 1 },
    { partnerId: 'partner-00', ratio: 0.9 },
    { partnerId: 'partner-21', ratio: 0.22 },
  ])
  clock.advance(86_400_000)
  assert.deepEqual(await store.readings.dayUsage(), [])
})
