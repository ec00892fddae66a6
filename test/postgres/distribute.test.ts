import assert from 'node:assert/strict'
import { test } from 'node:test'
import { suspendPartner } from '../../src/partners/set-partner-status.ts'
import { distributeStore, migrateStore } from '../../src/stores/open.ts'
import { freshDatabase } from '../support/fresh-database.ts'
import { startService } from '../support/service.ts'

test('plain PostgreSQL is refused with what is missing, and stays as it is', async (t) => {
  const { url, remove } = await freshDatabase()
  t.after(remove)
  await assert.rejects(
    distributeStore({ kind: 'postgres', url }),
    /plain PostgreSQL: distribute needs .* Citus/,
  )
})

test('the embedded ledger is refused', async () => {
  await assert.rejects(distributeStore({ kind: 'sqlite', path: 'any' }), /one file/)
})

/** An empty database on the coordinator of a Citus cluster, with the extension; it is left distributed and filled. */
const citusUrl = process.env.TEST_CITUS_URL

if (citusUrl !== undefined) {
  test('on Citus the distributed tables award, replay, refuse, list, suspend and verify as ever', async (t) => {
    const database = { kind: 'postgres', url: citusUrl } as const
    await migrateStore(database)
    assert.equal((await distributeStore(database)).length, 13)
    assert.deepEqual(await distributeStore(database), [], 'it can be run again')

    const service = await startService(
      t,
      {},
      { nodes: 3, database: { url: citusUrl, remove: async () => {} } },
    )
    const { acme, globex } = service
    const answers = await Promise.all(
      Array.from({ length: 64 }, (_, order) => acme.award({ orderId: `A-${order}` })),
    )
    assert.ok(answers.every(({ status }) => status === 202))
    const raced = await Promise.all(
      ['t1', 't2', 't1', 't2'].map((tenantId) =>
        acme.award({ orderId: 'raced', userEmail: 'bob@example.com', tenantId }),
      ),
    )
    assert.equal(
      raced.filter(({ status }) => status === 202).length,
      1,
      'one order is credited in one tenant',
    )
    assert.ok(raced.every(({ status }) => [200, 202, 409].includes(status)))
    const award = { orderId: 'A-1', userEmail: 'ann@example.com' }
    assert.equal((await globex.award(award)).status, 202)
    assert.equal((await globex.award(award)).body.code, 'DUPLICATE')
    assert.deepEqual((await globex.award({ ...award, amount: 6000 })).body.differs, ['amount'])
    assert.equal((await acme.history('t2')).status, 200)
    await service.operate((operator) => suspendPartner(operator, 'globex'))
    assert.equal((await globex.award()).body.code, 'PARTNER_SUSPENDED')
    assert.deepEqual((await service.verify()).fault, null)
  })
}
