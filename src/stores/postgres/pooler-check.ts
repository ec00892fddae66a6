import { Unavailable } from '../../ledger/errors.ts'
import { brieflyIdle, type Client, isConnectionLost, openPool, sqlStateOf, withClient } from './database.ts'
import { morePlaces } from './why-unreachable.ts'

const rounds = 3
const checkName = 'partner-credit-pooler-check'
/** A prepared statement is missing or exists already; or the pooler supports no transactions of several statements. */
const brokenByPooler = /^(26000|42P05|08P01)$/

const advice =
  'Connect to PostgreSQL directly, use a pooler in session mode, or PgBouncer 1.21 or newer with max_prepared_statements above 0'

/**
 * A pooler in transaction mode gives each transaction another server connection. One that does not carry prepared
 * statements along breaks awards, but only under load, when connections begin to change places. This check provokes it
 * with two connections: while one holds a transaction, the other must keep its server connection. Returns warnings.
 */
export async function checkPooler(
  url: string,
  limits: { answerMaxMs: number; connectMaxMs: number },
): Promise<string[]> {
  const pool = openPool(url, { connectionsMax: 2, isForNoTable: true, ...limits })
  try {
    const isPooled = await withClient(pool, (one) => withClient(pool, (other) => changesPlaces(one, other)))
    return isPooled ? [`DATABASE_URL leads to a pooler in transaction mode: ${pooledWarning}`] : []
  } catch (error) {
    if (isPoolUsedUp(error)) {
      const { message } = error as Error
      throw new Unavailable(
        `the database responds on one connection, but not on more (${message}). ${morePlaces}`,
        {
          cause: error,
        },
      )
    }
    if (!brokenByPooler.test(sqlStateOf(error) ?? '')) throw error
    throw new Unavailable(`DATABASE_URL leads to a pooler that breaks prepared statements. ${advice}`, {
      cause: error,
    })
  } finally {
    await pool.end()
  }
}

/**
 * A pooler in session mode accepts more connections than its pool has, and lets their first statement wait. It closes
 * them in the end, with or without an error, but not before a start would seem to hang.
 */
function isPoolUsedUp(error: unknown): boolean {
  return isConnectionLost(error) || (error as Error).message.includes('query_wait_timeout')
}

const pooledWarning = 'changes by operators are found by polling, within a second, and not at once'

/** Whether one of them was ever on the other's server connection. */
async function changesPlaces(one: Client, other: Client): Promise<boolean> {
  const backends = [new Set<number>(), new Set<number>()] as const
  const clients = [one, other]
  const askBackend = async (which: 0 | 1) => backends[which].add(await backendOf(clients[which]!, which))
  for (let round = 0; round < rounds; round++) {
    const [first, second] = round % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)
    await askBackend(first)
    await clients[second]!.query(`BEGIN; ${brieflyIdle}`)
    await askBackend(second)
    // The connection that it had may be the one that is busy now.
    await askBackend(first)
    await clients[second]!.query('COMMIT')
  }
  return backends.some(({ size }) => size > 1) || !backends[0].isDisjointFrom(backends[1])
}

/** Each has a statement of its own: with one for both, a connection would find the other's and not miss its own. */
async function backendOf(client: Client, which: number): Promise<number> {
  const { rows } = await client.query({
    name: `${checkName}-${which}`,
    text: 'SELECT pg_backend_pid() AS pid',
  })
  return rows[0].pid
}
