import { deepEqual, equal, match, ok } from 'node:assert/strict'
import { test } from 'node:test'
import { migrateStore } from '../../src/stores/open.ts'
import { routes } from '../../src/operator/api/routes.ts'
import { send } from '../support/client.ts'
import { freshPostgres, runSql, unmigratedPostgres } from '../support/fresh-database.ts'
import { anApi } from '../support/operator-api.ts'
import { startService } from '../support/service.ts'
import { makeShadows } from '../support/shadows.ts'
import { exportOf } from '../support/transfers.ts'

test('a function or an operator that another role has put beside ours is never called, and an operator is warned that it could', async (t) => {
  const database = await freshPostgres()
  const { url } = database
  await runSql(url, 'GRANT CREATE ON SCHEMA public TO PUBLIC')
  const [{ made }] = await runSql(url, makeShadows)
  ok(made > 1_000, `${made} were made`)
  deepEqual(await migrateStore({ kind: 'postgres', url }), [])

  const service = await startService(t, {}, { nodes: 1, database })
  const { status, body } = await send(`${service.operatorUrl}/readyz`)
  match(`${status} ${body.warnings.join()}`, /^200 .*REVOKE CREATE ON SCHEMA public FROM PUBLIC/)
  equal((await service.acme.award()).status, 202)
  equal((await service.acme.award({ amount: 1 })).status, 422)
  equal((await service.acme.history('t1')).status, 200)
  await service.lookNow()

  const api = await anApi(t, service)
  const answers: [path: string, status: number][] = []
  for (const { method, path } of routes) {
    const filled = path.replace('{partnerId}', 'acme').replace('{tenantId}', 't1')
    if (method !== 'GET' || filled.includes('{') || filled.startsWith('/oidc')) continue
    answers.push([filled, (await api.as('admin', { path: filled })).status])
  }
  ok(answers.length > 10)
  deepEqual(
    answers.filter(([, answer]) => answer >= 500),
    [],
  )
  equal(
    (await api.as('admin', { method: 'POST', path: '/partners/acme/suspend', body: { reason: 'r' } })).status,
    200,
  )

  const { sound, fault } = await service.verify()
  deepEqual({ sound, fault }, { sound: true, fault: null })
  await exportOf({ kind: 'postgres', url })
  deepEqual(
    [...service.log, ...api.failures.map(String)].filter((line) => line.includes('called:')),
    [],
  )
})

test('a database is migrated without a call of a function or operator that was there before', async () => {
  const { url } = await unmigratedPostgres()
  await runSql(url, makeShadows)
  ok((await migrateStore({ kind: 'postgres', url })).length > 0)
})
