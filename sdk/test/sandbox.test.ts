import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { allowTenant } from '../../src/partners/allow-tenant.ts'
import { eventually } from '../../test/support/eventually.ts'
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
