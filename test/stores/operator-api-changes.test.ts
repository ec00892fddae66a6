import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createClient } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { anApi } from '../support/operator-api.ts'
import { startService } from '../support/service.ts'

const reason = 'ticket 7'

/** In this order on one ledger: a test may go on with what those before it have changed. */
test('changes through the API', async (t) => {
  const service = await startService(t)
  const api = await anApi(t, service)

  await t.test(
    'a partner that is created through the API can award at once; its secret is shown once, and the change is in the audit',
    async () => {
      const body = {
        partnerId: 'initech',
        name: 'Initech',
        tenants: ['t1'],
        sandboxTenants: ['t1-test'],
        reason,
      }
      const created = await api.as('admin', { method: 'POST', path: '/partners', body })
      assert.equal(created.status, 201)
      const client = createClient(service.urls, created.body, service.clock)
      await eventually('the new key is known', async () => (await client.award()).status === 202)

      const shown = await api.as('admin', { path: '/partners/initech' })
      const audit = await api.as('viewer', { path: '/audit?partnerId=initech' })
      for (const { text } of [shown, audit]) {
        assert.ok(!text.includes(created.body.signingSecret) && !text.includes(created.body.apiKey))
      }
      const [row] = audit.body.changes
      assert.deepEqual(
        [row.actor, row.origin, row.address, row.action, row.reason],
        ['operator:a-admin', 'console', '192.0.2.7', 'partner create', reason],
      )
      assert.equal((await api.as('admin', { method: 'POST', path: '/partners', body })).body.code, 'REFUSED')
      assert.equal((await service.verify()).sound, true)
    },
  )

  await t.test('a body that has a member twice changes nothing', async () => {
    const body = '{"perTx":5,"perTx":6,"reason":"two caps"}'
    const before = await api.as('admin', { path: '/partners/acme' })
    const { status, body: problem } = await api.as('admin', {
      method: 'PUT',
      path: '/partners/acme/caps',
      body,
    })
    assert.deepEqual([status, problem.code], [400, 'INVALID_REQUEST'])
    assert.deepEqual(
      problem.errors.map(({ pointer }: { pointer: string }) => pointer),
      ['/perTx'],
    )
    assert.deepEqual((await api.as('admin', { path: '/partners/acme' })).body, before.body)
  })

  await t.test(
    'a reason has up to 500 characters, of which each may be outside of the basic plane',
    async () => {
      const post = (reason: string) =>
        api.as('support', { method: 'POST', path: '/partners/acme/resume', body: { reason } })
      assert.equal((await post('😀'.repeat(500))).status, 200)
      assert.equal((await post('😀'.repeat(501))).body.code, 'INVALID_REQUEST')
    },
  )

  await t.test(
    'support suspends and resumes with a reason, and the response comes when no award passes any more',
    async () => {
      const { acme } = service
      const post = (path: string, body: object) => api.as('support', { method: 'POST', path, body })
      assert.equal((await post('/partners/acme/suspend', {})).body.code, 'INVALID_REQUEST')
      assert.equal((await post('/partners/acme/suspend', { reason: ' ' })).body.code, 'REFUSED')
      assert.equal((await acme.award()).status, 202)
      assert.equal((await post('/partners/acme/suspend', { reason })).body.status, 'suspended')
      assert.equal((await acme.award()).body.code, 'PARTNER_SUSPENDED')
      assert.equal((await post('/partners/acme/resume', { reason })).body.status, 'active')
      assert.equal((await acme.award()).status, 202)
      assert.equal((await post('/partners/nobody/suspend', { reason })).body.code, 'NOT_FOUND')
    },
  )

  await t.test(
    'a key is replaced with an overlap, and only that key; a revoked key stops working',
    async () => {
      const { acme, clock, urls } = service
      const post = (path: string, body: object) =>
        api.as('admin', { method: 'POST', path, body: { reason, ...body } })
      const [first] = (await api.as('viewer', { path: '/partners/acme' })).body.keys
      const other = (await post('/partners/acme/keys', {})).body
      const rotated = await post(`/partners/acme/keys/${first.keyId}/rotate`, { overlapSeconds: 1800 })
      assert.equal(rotated.status, 201)

      const [newest, second] = [rotated.body, other].map((key) => createClient(urls, key, clock))
      await eventually('the new keys are known', async () => (await newest!.award()).status === 202)
      assert.equal((await acme.award()).status, 202, 'the old key works during the overlap')
      clock.advance(1_800_001)
      assert.equal((await acme.award()).status, 401, 'and not after it')
      assert.equal((await second!.award()).status, 202, 'the other key was not replaced')

      assert.equal(
        (await post(`/partners/acme/keys/${first.keyId}/rotate`, { overlapSeconds: 0 })).body.code,
        'REFUSED',
      )
      assert.equal((await post(`/partners/globex/keys/${other.keyId}/revoke`, {})).body.code, 'NOT_FOUND')
      assert.equal((await post(`/partners/acme/keys/${other.keyId}/revoke`, {})).status, 200)
      await eventually('the key is revoked', async () => (await second!.award()).status === 401)
      const again = await post(`/partners/acme/keys/${other.keyId}/revoke`, {})
      assert.deepEqual([again.status, again.body.code], [422, 'REFUSED'])
      assert.match(again.body.detail, /was already revoked at 2/)
    },
  )

  await t.test(
    'caps, tenants, names and defaults are changed in one audit row each; a token is named in it',
    async () => {
      const token = await api.token(['partners.write', 'audit.read'])
      const send = (method: string, path: string, body: object) =>
        api.byToken(token, { method, path, body: { reason, ...body } })
      const changes: [string, string, object][] = [
        ['PUT', '/partners/acme/caps', { perPartnerDay: 650_000 }],
        ['PUT', '/partners/acme/caps', { tenantId: 't1', perTx: 7 }],
        ['PUT', '/partners/acme/caps', { tenantId: 't1', perTx: null }],
        ['PATCH', '/partners/acme', { name: 'Acme Ltd', requestsPerSecond: 50 }],
        ['POST', '/partners/acme/tenants', { tenantId: 't9', mode: 'sandbox' }],
        ['POST', '/partners/acme/tenants/t9/deny', {}],
        ['PUT', '/tenants/t1/caps', { perUserDay: 99 }],
        ['PUT', '/defaults/caps', { perTx: 500 }],
      ]
      for (const [method, path, body] of changes)
        assert.equal((await send(method, path, body)).status, 200, path)
      const { body } = await api.byToken(token, { path: '/audit' })
      const ours = body.changes.filter(({ origin }: { origin: string }) => origin === 'api')
      assert.deepEqual(
        ours
          .map(({ action, subject }: { action: string; subject: string }) => `${action}: ${subject}`)
          .reverse(),
        [
          'partner caps: partner acme',
          'partner caps: partner acme',
          'partner caps: partner acme',
          'partner change: partner acme',
          'tenant create: tenant t9',
          'partner allow: partner acme',
          'partner deny: partner acme',
          'tenant caps: tenant t1',
          'defaults caps: defaults',
        ],
      )
      for (const row of ours) {
        assert.match(row.actor, /^token:tok_/)
        assert.deepEqual([row.address, row.reason], ['192.0.2.7', reason])
      }
      const refused: [string, string, object, string][] = [
        ['PUT', '/partners/acme/caps', {}, 'INVALID_REQUEST'],
        ['PUT', '/partners/acme/caps', { perTx: -1 }, 'INVALID_REQUEST'],
        ['PUT', '/partners/acme/caps', { perTx: 1.5 }, 'INVALID_REQUEST'],
        ['PUT', '/partners/acme/caps', { perTx: '5' }, 'INVALID_REQUEST'],
        ['POST', '/partners', { partnerId: 'p2', name: 'P2', perTx: 1e12 + 1 }, 'INVALID_REQUEST'],
        ['PUT', '/partners/acme/caps', { perTx: 1e12 + 1 }, 'INVALID_REQUEST'],
        ['PUT', '/tenants/t1/caps', { perUserDay: 1e12 + 1 }, 'INVALID_REQUEST'],
        ['PUT', '/defaults/caps', { perPartnerDay: 1e12 + 1 }, 'INVALID_REQUEST'],
        ['PUT', '/partners/acme/caps', { perTx: 1, other: 1 }, 'INVALID_REQUEST'],
        ['PUT', '/partners/acme/caps', { perTx: 1, tenantId: 'nowhere' }, 'REFUSED'],
        ['PATCH', '/partners/acme', { name: 'a\u0007b' }, 'REFUSED'],
        ['PUT', '/tenants/nowhere/caps', { perUserDay: 1 }, 'NOT_FOUND'],
      ]
      for (const [method, path, given, code] of refused)
        assert.equal((await send(method, path, given)).body.code, code, `${path} ${JSON.stringify(given)}`)
      const after = await api.byToken(token, { path: '/audit' })
      assert.equal(after.body.changes.length, body.changes.length, 'what is refused leaves no row')
      assert.equal((await service.verify()).sound, true)
    },
  )
})
