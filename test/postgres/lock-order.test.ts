import { equal } from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type { AwardCommand } from '../../src/rules/entry.ts'
import { batchesOnPostgres as batches } from '../../src/stores/postgres/batch-kind.ts'
import { prepareCommit } from '../../src/stores/postgres/commit.ts'
import { openPool } from '../../src/stores/postgres/database.ts'
import { anAward } from '../support/awards.ts'
import { deadlocksIn, lockWaits, openSession, urlOf } from '../support/database-sessions.ts'
import { runSql } from '../support/fresh-database.ts'
import { makePartner } from '../support/operators.ts'
import { startService } from '../support/service.ts'

const rounds = 4
const batchSize = 200

/** A large batch, as a node under load commits it. */
function aBatch(overrides: (index: number) => Partial<AwardCommand>): AwardCommand[] {
  return Array.from({ length: batchSize }, (_, index) =>
    anAward({ epTransactionId: randomUUID(), orderId: randomUUID(), amount: 1000, ...overrides(index) }),
  )
}

test('large batches of two nodes that want the same rows in opposite order', async (t) => {
  const service = await startService(t, {}, { nodes: 1 })
  const { clock } = service
  const openNode = () => {
    const pool = openPool(urlOf(service), { connectionsMax: 1 })
    t.after(() => pool.end())
    return { commit: prepareCommit(pool, { batches, clock }) }
  }
  const [one, other] = [openNode(), openNode()]

  await t.test('queue up at the first of their accounts and never deadlock', async (t) => {
    const tenants = Array.from({ length: batchSize }, (_, index) => `wide-${index}`)
    await service.operate((operator) => makePartner(operator, { partnerId: 'wide', tenants }))
    const batch = () => aBatch((index) => ({ partnerId: 'wide', tenantId: tenants[index]! }))
    await one.commit(batch())
    // Both wait for a lock in the middle, each with what it has locked so far.
    const somebody = await openSession(t, urlOf(service))
    const middle = tenants.toSorted((a, b) => (a < b ? -1 : 1))[batchSize / 2]
    await somebody.query(`BEGIN; SELECT * FROM accounts WHERE tenant_id = '${middle}' FOR UPDATE`)
    const both = Promise.all([one.commit(batch()), other.commit(batch().reverse())])
    await lockWaits(urlOf(service), 2)
    await somebody.query('ROLLBACK')
    const outcomes = (await both).flat()
    equal(outcomes.filter(({ kind }) => kind === 'credited').length, 2 * batchSize)
    equal(await deadlocksIn(service), 0)
  })

  await t.test(
    'queue up at the first of the accounts that they have to make and never deadlock',
    async () => {
      for (let round = 0; round < rounds; round++) {
        const partnerId = `new-${round}`
        const tenants = Array.from({ length: batchSize }, (_, index) => `new-${round}-${index}`)
        await service.operate((operator) => makePartner(operator, { partnerId, tenants }))
        const batch = () => aBatch((index) => ({ partnerId, tenantId: tenants[index]! }))
        const outcomes = (await Promise.all([one.commit(batch()), other.commit(batch().reverse())])).flat()
        equal(outcomes.filter(({ kind }) => kind === 'credited').length, 2 * batchSize)
      }
      equal(await deadlocksIn(service), 0)
    },
  )

  await t.test('queue up at the first of their users and never deadlock', async () => {
    for (let round = 0; round < rounds; round++) {
      const userEmail = (index: number) => `user-${round}-${index}@example.vn`
      const batch = aBatch((index) => ({ partnerId: 'acme', userEmail: userEmail(index) }))
      const opposite = aBatch((index) => ({
        partnerId: 'globex',
        userEmail: userEmail(batchSize - 1 - index),
      }))
      const outcomes = (await Promise.all([one.commit(batch), other.commit(opposite)])).flat()
      equal(outcomes.filter(({ kind }) => kind === 'credited').length, 2 * batchSize)
    }
    equal(await deadlocksIn(service), 0)
  })

  await t.test('queue up at the first of their orders and never deadlock', async () => {
    // Slow enough that both run at the same time.
    await runSql(
      urlOf(service),
      `CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN PERFORM pg_sleep(0.0002); RETURN NEW; END $$;
       CREATE TRIGGER dawdles BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION dawdle()`,
    )
    for (let round = 0; round < rounds; round++) {
      const orderId = (index: number) => `order-${round}-${index}`
      const batch = aBatch((index) => ({ tenantId: 't1', orderId: orderId(index) }))
      const opposite = aBatch((index) => ({ tenantId: 't2', orderId: orderId(batchSize - 1 - index) }))
      const outcomes = (await Promise.all([one.commit(batch), other.commit(opposite)])).flat()
      equal(outcomes.filter(({ kind }) => kind === 'credited').length, batchSize)
      equal(outcomes.filter(({ kind }) => kind === 'rejected').length, batchSize)
    }
    equal(await deadlocksIn(service), 0)
    await runSql(urlOf(service), 'DROP TRIGGER dawdles ON entries; DROP FUNCTION dawdle')
  })

  await t.test('afterwards the ledger is sound', async () => {
    const { sound, fault } = await service.verify()
    equal(sound, true, fault ?? '')
  })
})
