import type { OperatorSessions } from '../../operator/access/operator-store.ts'
import { operatorSessions } from '../operator-sessions.ts'
import { asUnavailable, brieflyIdle, openPool, withClient } from './database.ts'

const answerMaxMs = 5_000
const connectMaxMs = 2_000

/**
 * In tables of their own. A write is on the disk of the database, but does not wait for its standby: when that is away,
 * operators have to be able to sign in.
 */
export function openOperatorSessions(url: string): OperatorSessions {
  const pool = openPool(url, { connectionsMax: 2, answerMaxMs, connectMaxMs })
  return operatorSessions(
    async (sql, values) => {
      try {
        return await withClient(pool, async (client) => {
          await client.query(`BEGIN; SET LOCAL synchronous_commit = local; ${brieflyIdle}`)
          const { rows } = await client.query(sql, values)
          await client.query('COMMIT')
          return rows
        })
      } catch (error) {
        throw asUnavailable(error)
      }
    },
    () => pool.end(),
  )
}
