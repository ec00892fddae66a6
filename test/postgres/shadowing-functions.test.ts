import { deepEqual, match } from 'node:assert/strict'
import { test } from 'node:test'
import { send } from '../support/client.ts'
import { freshPostgres, runSql } from '../support/fresh-database.ts'
import { migrateStore } from '../../src/stores/open.ts'
import { startService } from '../support/service.ts'

/** PostgreSQL prefers these to its own, where a statement leaves the type of a parameter open, or mixes types. */
const shadows = {
  'pg_advisory_xact_lock(text)': 'void',
  'pg_try_advisory_xact_lock(text)': 'boolean',
  'pg_notify(varchar, varchar)': 'void',
  'make_interval(secs text)': 'interval',
  'json_to_recordset(text)': 'SETOF record',
  'multiply(numeric, integer)': 'numeric',
  'at_least(bigint, integer)': 'boolean',
}

test('a function that another role has put beside ours is never called, and an operator is warned that it could', async (t) => {
  const database = await freshPostgres()
  const { url } = database
  const functions = Object.entries(shadows).map(
    ([signature, returns]) => `
      CREATE FUNCTION public.${signature} RETURNS ${returns} LANGUAGE plpgsql AS $$
      BEGIN RAISE EXCEPTION 'called: ${signature}'; END $$;`,
  )
  await runSql(
    url,
    `GRANT CREATE ON SCHEMA public TO PUBLIC;
     ${functions.join('')}
     CREATE OPERATOR public.* (LEFTARG = numeric, RIGHTARG = integer, FUNCTION = public.multiply);
     CREATE OPERATOR public.>= (LEFTARG = bigint, RIGHTARG = integer, FUNCTION = public.at_least)`,
  )
  await migrateStore({ kind: 'postgres', url })
  const service = await startService(t, {}, { nodes: 1, database })
  const { status, body } = await send(`${service.operatorUrl}/readyz`)
  match(`${status} ${body.warnings.join()}`, /^200 .*REVOKE CREATE ON SCHEMA public FROM PUBLIC/)
  await service.acme.award()
  await service.acme.award({ amount: 1 })
  await service.lookNow()
  const { sound, fault } = await service.verify()
  deepEqual({ sound, fault }, { sound: true, fault: null })
  deepEqual(
    service.log.filter((line) => line.includes('called:')),
    [],
  )
})
