import type { OperatorSessions } from '../../operator/access/operator-store.ts'
import { operatorSessions } from '../operator-sessions.ts'
import { asUnavailable, brieflyIdle, openPool, type Pool, type Schema, withClient } from './database.ts'

const answerMaxMs = 5_000
const connectMaxMs = 2_000

/**
 * In tables of their own. A write is on the disk of the database, but does not wait for its standby: when that is away,
 * operators have to be able to sign in.
 */
export function openOperatorSessions(url: string, schema: Schema = null): OperatorSessions {
  const pool = openPool(url, { connectionsMax: 2, answerMaxMs, connectMaxMs, schema: () => schema })
  return operatorSessions(
    async (sql, values) => {
      try {
        return await runAlone(pool, sql, values).catch(async (error) => {
          if (error.constraint !== 'access_log_pkey') throw error
          await runAlone(pool, catchUp, [])
          return runAlone(pool, sql, values)
        })
      } catch (error) {
        throw asUnavailable(error)
      }
    },
    () => pool.end(),
  )
}

/**
 * A copy that was made by logical replication, as for an upgrade, has the rows of the access log, and a sequence that begins at 1.
 * Without a row in the access log, nobody signs in.
 */
const catchUp = `
  SELECT setval(sequence, greatest(nextval(sequence), (SELECT max(access_id) FROM access_log)))
  FROM (SELECT pg_get_serial_sequence('access_log', 'access_id')::regclass AS sequence) AS the`

async function runAlone(
  pool: Pool,
  sql: string,
  values: (string | number | null)[],
): Promise<Record<string, unknown>[]> {
  return withClient(pool, async (client) => {
    await client.query(`BEGIN; SET LOCAL synchronous_commit = local; ${brieflyIdle}`)
    const { rows } = await client.query(sql, values)
    await client.query('COMMIT')
    return rows
  })
}
