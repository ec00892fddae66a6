import { deepEqual, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { anAwardBody } from '../support/client.ts'
import { urlOf } from '../support/database-sessions.ts'
import { runSql } from '../support/fresh-database.ts'
import { assertProblem, assertUnavailable } from '../support/problem-assertions.ts'
import { startService } from '../support/service.ts'

/** The database reports this when this order is credited. */
function refusing(orderId: string, sqlState: string, timing: 'IMMEDIATE' | 'DEFERRED'): string {
  return `
    CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
      IF NEW.order_id = '${orderId}' THEN RAISE EXCEPTION 'refused' USING ERRCODE = '${sqlState}'; END IF;
      RETURN NULL;
    END $$;
    CREATE CONSTRAINT TRIGGER refuses AFTER INSERT ON entries
      DEFERRABLE INITIALLY ${timing} FOR EACH ROW EXECUTE FUNCTION refuse()`
}

const refusingNoMore = 'DROP TRIGGER refuses ON entries; DROP FUNCTION refuse'

test('when the database rolls back instead of committing', async (t) => {
  const service = await startService(t)
  const url = urlOf(service)
  const { acme } = service

  const cases: [what: string, sqlState: string, timing: 'IMMEDIATE' | 'DEFERRED'][] = [
    ['a full disk in a write, so that COMMIT is answered by ROLLBACK', '53100', 'IMMEDIATE'],
    ['a full disk at COMMIT', '53100', 'DEFERRED'],
    ['a constraint that is checked at COMMIT', '23514', 'DEFERRED'],
  ]
  for (const [what, sqlState, timing] of cases) {
    await t.test(`${what}: no success is reported, nothing is recorded, the replay is credited`, async () => {
      const orders = Array.from({ length: 8 }, () => anAwardBody())
      // The last of them: the others share its batch and its outcome.
      await runSql(url, refusing(orders[7]!.orderId as string, sqlState, timing))
      const before = await service.dump()
      const last = await acme.award(orders[7]!)
      assertUnavailable(last)
      match(last.body.detail, /send the same orderId again/)
      equal(await service.dump(), before)

      const answers = await Promise.all(orders.map((order) => acme.award(order)))
      assertUnavailable(answers[7]!)
      await runSql(url, refusingNoMore)
      const replays = await Promise.all(orders.map((order) => acme.award(order)))
      for (const [index, replay] of replays.entries()) {
        const credited = answers[index]!.status === 202
        equal(replay.body.code ?? replay.status, credited ? 'DUPLICATE' : 202)
        if (credited) equal(replay.body.epTransactionId, answers[index]!.body.epTransactionId)
      }
    })
  }

  await t.test(
    'a row that the database will never take is 500 for its own award and harms no other of its batch',
    async () => {
      const orders = Array.from({ length: 8 }, () => anAwardBody())
      await runSql(url, refusing(orders[7]!.orderId as string, '23514', 'IMMEDIATE'))
      const answers = await Promise.all(orders.map((order) => acme.award(order)))
      await runSql(url, refusingNoMore)
      deepEqual(
        answers.slice(0, 7).map(({ status }) => status),
        Array(7).fill(202),
      )
      assertProblem(answers[7]!, { status: 500, code: 'INTERNAL_ERROR' })
      equal((await acme.award(orders[7]!)).status, 202)
    },
  )

  await t.test('a plain notice of a trigger at COMMIT is no reason to doubt it', async () => {
    await runSql(
      url,
      `CREATE FUNCTION tell() RETURNS trigger LANGUAGE plpgsql AS
         $$ BEGIN RAISE NOTICE 'one more'; RETURN NULL; END $$;
       CREATE TRIGGER tells AFTER INSERT ON entries FOR EACH ROW EXECUTE FUNCTION tell()`,
    )
    equal((await acme.award()).status, 202)
    await runSql(url, 'DROP TRIGGER tells ON entries; DROP FUNCTION tell')
  })

  await t.test('afterwards the ledger is sound', async () => {
    const { sound, fault } = await service.verify()
    equal(sound, true, fault ?? '')
  })
})
