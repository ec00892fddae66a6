import type { OperatorSessions } from '../../operator/access/operator-store.ts'
import { operatorSessions } from '../operator-sessions.ts'
import { asUnavailable, openPool, withClient } from './database.ts'

const answerMaxMs = 5_000
const connectMaxMs = 2_000

/** In tables of their own. A crash of the database may lose the last moment: then somebody signs in again. */
export function openOperatorSessions(url: string): OperatorSessions {
  const pool = openPool(url, { connectionsMax: 2, answerMaxMs, connectMaxMs })
  return operatorSessions(
    async (sql, values) => {
      try {
        const { rows } = await withClient(pool, (client) => client.query(sql, values))
        return rows
      } catch (error) {
        throw asUnavailable(error)
      }
    },
    () => pool.end(),
  )
}
