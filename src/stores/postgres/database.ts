import pg from 'pg'
import type { Clock } from '../../clock.ts'
import { Unavailable } from '../../ledger/errors.ts'
import { whyUnreachable } from './why-unreachable.ts'
import { isWorkerLost } from './citus/lost-worker.ts'
import { hearWorkers, waitForStandby, watchWarnings } from './commit-confirmation.ts'

export type Pool = pg.Pool
export type Client = pg.PoolClient
export type Result = pg.QueryResult

/** int8 as a number: every integer of ours is within 2^53, and the driver's default would be a string. */
const types: pg.CustomTypesConfig = {
  getTypeParser: ((oid: number, format: 'text' | 'binary') =>
    oid === pg.types.builtins.INT8 && format !== 'binary'
      ? safeInteger
      : pg.types.getTypeParser(oid, format)) as typeof pg.types.getTypeParser,
}

function safeInteger(text: string): number {
  const value = Number(text)
  if (!Number.isSafeInteger(value)) throw new RangeError(`${text} is beyond 2^53`)
  return value
}

/** A connection on which no answer comes for so long is dropped, without a cancel: it may be half open. */
type PoolLimits = { connectionsMax: number; answerMaxMs?: number; connectMaxMs?: number }

/**
 * Connections that send a whole group of statements at once (`pipeline`) and wait for the answers together. A
 * connection that breaks while nobody uses it is simply dropped: the next use opens a new one.
 */
export function openPool(url: string, { connectionsMax, answerMaxMs, connectMaxMs = 900 }: PoolLimits): Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: connectionsMax,
    connectionTimeoutMillis: connectMaxMs,
    idleTimeoutMillis: 30_000,
    keepAlive: true,
    pipeline: true,
    ...(answerMaxMs === undefined ? {} : { query_timeout: answerMaxMs }),
    types,
    application_name: 'partner-credit',
  } as pg.PoolConfig)
  pool.on('error', () => {})
  // Without a listener, a backend that dies would end the whole process. The pool listens while a connection is idle; a
  // server that greets and says goodbye in one breath is heard by nobody else.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}

/** A connection for a while. One that failed is not given back but closed: nobody knows what state it is in. */
export async function withClient<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  return usingClient(await connect(pool), work)
}

export async function usingClient<T>(client: Client, work: (client: Client) => Promise<T>): Promise<T> {
  let broken: Error | undefined
  try {
    return await work(client)
  } catch (error) {
    broken = error as Error
    throw error
  } finally {
    client.release(broken)
  }
}

/** At least as many as a pool has connections: a restart of the database kills them all. */
const readAttemptsMax = 10
const readAgainForMs = 500

/** Reading changes nothing: where a connection had died, perhaps long ago, it is simply done again on another. */
export async function reading<T>(pool: Pool, clock: Clock, work: (client: Client) => Promise<T>): Promise<T> {
  const againUntil = clock.elapsed() + readAgainForMs
  for (let attempt = 1; ; attempt++) {
    try {
      return await withClient(pool, work)
    } catch (error) {
      const hadDied = isConnectionLost(error) || sqlStateOf(error) === adminShutdown
      if (!hadDied || attempt === readAttemptsMax || clock.elapsed() >= againUntil) throw asUnavailable(error)
    }
  }
}

/** Its cause says why, for operators only. */
class Unreachable extends Unavailable {}

/** For whoever starts something: no partner reads this, and the cause is what matters. */
export async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Unreachable && error.cause instanceof Error)) throw error
    throw new Unavailable(`${error.message}: ${error.cause.message}`, { cause: error.cause })
  }
}

const urlOf = (pool: Pool) => pool.options.connectionString!

export async function connect(pool: Pool): Promise<Client> {
  try {
    return await pool.connect()
  } catch (error) {
    throw new Unreachable('the database cannot be reached', {
      cause: new Error(whyUnreachable(error, urlOf(pool)), { cause: error }),
    })
  }
}

/**
 * Runs `work` in one transaction, all or nothing. For what operators do; awards have a cycle of their own. Where the
 * answer to COMMIT does not come within `commitMaxMs`, perhaps because the standby is away, the outcome is not known; null waits for as long as it takes.
 * A process that stands still in the middle (`idleMaxMs`) loses its transaction: others wait for its locks.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: Client) => Promise<T>,
  { commitMaxMs = 10_000, idleMaxMs = 10_000 }: { commitMaxMs?: number | null; idleMaxMs?: number } = {},
): Promise<T> {
  return withClient(pool, async (client) => {
    // Whatever the database's default is: who had to wait for the lock then reads what was committed meanwhile.
    const limit = `SET LOCAL idle_in_transaction_session_timeout = ${idleMaxMs}`
    await client.query(`BEGIN ISOLATION LEVEL READ COMMITTED; ${waitForStandby}; ${hearWorkers}; ${limit}`)
    const result = await work(client).catch((error) => {
      if (sqlStateOf(error) !== readOnly) throw error
      throw new Unavailable('the database is read-only: DATABASE_URL must name the primary', { cause: error })
    })
    const warnings = watchWarnings(client)
    const commit = { text: 'COMMIT', ...(commitMaxMs === null ? {} : { query_timeout: commitMaxMs }) }
    const { command } = await client.query(commit).catch((error) => {
      if (sqlStateOf(error) !== null && !isSessionEnd(error)) throw error
      throw new Unavailable(`PostgreSQL did not confirm the change. ${lookFirst}`, { cause: error })
    })
    if (command !== 'COMMIT') throw new Error('the database rolled the transaction back')
    if (warnings.end()) {
      throw new Unavailable(
        `The change may not be durable: the wait for the synchronous standby was cut short. ${lookFirst}`,
      )
    }
    return result
  })
}

const lookFirst = 'Look whether it was made; when the standby is back, run the command again'

/** For an import or a migration, whose COMMIT may rightly take long. */
export function inLongTransaction<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  return inTransaction(pool, work, { commitMaxMs: null, idleMaxMs: 0 })
}

/** The session ended before it could say what became of its transaction. */
function isSessionEnd(error: unknown): boolean {
  return /^(08|57P0|40003)/.test(sqlStateOf(error) ?? '')
}

const readOnly = '25006'

/** The session was ended by an operator, or by a server that is being stopped. */
export const adminShutdown = '57P01'

/**
 * SQLSTATEs in which the world failed and not the statement: connection, resources, operator, system; a read-only
 * database, a transaction that was idle, waited for a lock or took too long; a prepared
 * statement that is gone, or there already, because a pooler gave us another connection.
 */
const unavailableCodes = /^(08|53|57|58|25006|25P0[34]|55P03|26000|42P05)/

/** Faults of the world become `Unavailable`; whatever else is a bug, and stays what it is. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof Unavailable) return error
  if (!isConnectionLost(error) && !unavailableCodes.test(sqlStateOf(error) ?? '') && !isWorkerLost(error))
    return error
  return new Unavailable('the database failed', { cause: error })
}

/** What the server calls an error; null: it does not come from the server. (EPIPE only looks like one that does.) */
export function sqlStateOf(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null
}

/** Not from the server and not from our own code (an integer beyond 2^53): the connection broke. */
export function isConnectionLost(error: unknown): boolean {
  return !(error instanceof Unavailable || error instanceof RangeError) && sqlStateOf(error) === null
}
