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

test('an award of which the database leaves out a row, because of a trigger or a rule that is not ours, is not reported as credited', async (t) => {
  const service = await startService(t)
  const url = urlOf(service)
  const leaveOut = `CREATE FUNCTION leave_out() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$`
  await runSql(url, leaveOut)
  const leavingOut = (when: string) => [
    `CREATE TRIGGER leaves_out BEFORE ${when} FOR EACH ROW EXECUTE FUNCTION leave_out()`,
    `DROP TRIGGER leaves_out ON ${when.split(' ')[2]}`,
  ]
  const first = { userEmail: 'first@example.com' }
  const again = { userEmail: 'again@example.com' }
  const { acme, globex } = service
  for (const fields of [{}, { tenantId: 't2' }])
    equal((await acme.award({ ...again, ...fields })).status, 202)
  equal((await globex.award(again)).status, 202)
  // Each in an account of its own, because the others are not sound afterwards.
  const cases = [
    { with: leavingOut('INSERT ON user_days'), award: () => globex.award(first) },
    { with: leavingOut('UPDATE ON user_days'), award: () => globex.award(again) },
    { with: leavingOut('UPDATE ON accounts'), award: () => globex.award(again) },
    { with: leavingOut('INSERT ON entries'), award: () => acme.award(again) },
    {
      with: [
        'CREATE RULE leaves_out AS ON INSERT TO entries DO INSTEAD NOTHING',
        'DROP RULE leaves_out ON entries',
      ],
      award: () => acme.award({ ...again, tenantId: 't2' }),
    },
  ]
  for (const {
    with: [begin, end],
    award,
  } of cases) {
    await runSql(url, begin!)
    assertUnavailable(await award())
    await runSql(url, end!)
  }
  equal((await service.verify()).sound, false)
})
