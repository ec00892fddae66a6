import { deepEqual, doesNotMatch, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { allowTenant } from '../../src/partners/allow-tenant.ts'
import { eventually } from '../../test/support/eventually.ts'
import { ConnectionError, OrderIdConflictError, PartnerCredit } from '../src/index.ts'
import { anOrder, startLive } from './live-service.ts'

test('an award and a page say whether they are of a sandbox tenant', async (t) => {
  const { service, credit } = await startLive(t)
  const tenantId = 't1-test'
  await service.operate((operator) => allowTenant(operator, 'acme', tenantId, 'sandbox'))
  await eventually('the tenant is known', async () => (await service.acme.history(tenantId)).status === 200)
  const order = anOrder({ tenantId })
  const results = [
    await credit.award(order),
    await credit.award(order),
    await credit.awards.page({ tenantId }),
    await credit.award(anOrder()),
    await credit.awards.page({ tenantId: 't1' }),
  ]
  deepEqual(
    results.map(({ sandbox }) => sandbox),
    [true, true, true, false, false],
  )
  equal((await Array.fromAsync(credit.awards({ tenantId }))).length, 1)
})

test('an error says whether the response was about a sandbox tenant, as a member and in its message', async (t) => {
  const { service, credit, options } = await startLive(t)
  const tenantId = 't1-test'
  await service.operate((operator) => allowTenant(operator, 'acme', tenantId, 'sandbox'))
  await eventually('the tenant is known', async () => (await service.acme.history(tenantId)).status === 200)
  const refusal = async (tenant: string) => {
    const order = anOrder({ tenantId: tenant })
    await credit.award(order)
    return credit.award({ ...order, amount: 9000 }).catch((error) => error)
  }
  const [inSandbox, live] = [await refusal(tenantId), await refusal('t1')]
  ok(inSandbox instanceof OrderIdConflictError && live instanceof OrderIdConflictError)
  deepEqual([inSandbox.sandbox, live.sandbox], [true, false])
  match(inSandbox.message, /\(HTTP 409, sandbox, request /)
  doesNotMatch(live.message, /\(HTTP 409, sandbox/)
  equal(JSON.parse(JSON.stringify(inSandbox)).sandbox, true)

  const page = await credit.awards.page({ tenantId, cursor: 'of-another-list' }).catch((error) => error)
  deepEqual([page.code, page.sandbox], ['INVALID_REQUEST', true])
  const nowhere = new PartnerCredit({ ...options, baseUrl: 'http://127.0.0.1:1', retries: 0 })
  const noResponse = await nowhere.award(anOrder({ tenantId })).catch((error) => error)
  ok(noResponse instanceof ConnectionError)
  equal(noResponse.sandbox, false)
})
