import pg from 'pg'
import type { Clock } from '../../clock.ts'
import { Damaged, DamagedRows, Unavailable } from '../../ledger/errors.ts'
import { damagedRow } from '../damaged-row.ts'
import { CheckedClient } from './checked-client.ts'
import { closeSilentTogether } from './silent-connections.ts'
import { isBrokenOff, morePlaces, whyUnreachable } from './why-unreachable.ts'
import { isWorkerLost } from './citus/lost-worker.ts'
import { unavailableCodes } from './failure-codes.ts'
import { stayWithLedger } from './stay-with-ledger.ts'
import { hearWorkers, keepNulls, waitForStandby, watchWarnings } from './commit-confirmation.ts'

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
  if (!Number.isSafeInteger(value)) throw new BeyondNumbers(text)
  return value
}

/** A stored integer beyond 2^53, in a row of a table that is not known here. */
class BeyondNumbers extends Damaged {
  readonly value: string

  constructor(value: string) {
    super(damagedRow(null, value).message)
    this.value = value
  }
}

/** Names the table, if one of its rows or a column cannot be read. */
export async function readingTable<T>(table: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read()
  } catch (error) {
    if (error instanceof BeyondNumbers) throw damagedRow(table, error.value)
    if (sqlStateOf(error) !== undefinedColumn) throw error
    throw new Damaged(
      `${table} has not the columns that the migrations made (${(error as Error).message}): the database was changed from outside. Restore a backup`,
      { cause: error },
    )
  }
}

const undefinedColumn = '42703'

/**
 * Where connections look for tables, quoted where SQL needs it; null: where the search_path of the role and the database
 * finds a ledger. A server uses what it found at its start everywhere: a search_path that somebody changes would lead it, or
 * its operators, to another ledger.
 */
export type Schema = string | null

type PoolLimits = {
  connectionsMax: number
  /** A connection without a response for this long is closed, without a cancel request: it may be half open. */
  answerMaxMs?: number
  connectMaxMs?: number
  /** For commands, whose statements may take as long as the ledger is large. */
  liftsRoleLimits?: boolean
  /** Read for each new connection. */
  schema?(): Schema
  /** It asks for no table, and its connections may not even answer: they are not led to the ledger's schema. */
  isForNoTable?: boolean
}

/**
 * Connections that send a group of statements at once (`pipeline`) and wait for all results together. A connection that
 * breaks while idle is removed: the next use opens a new one.
 */
export function openPool(
  url: string,
  {
    connectionsMax,
    answerMaxMs,
    connectMaxMs = 900,
    liftsRoleLimits = false,
    schema,
    isForNoTable = false,
  }: PoolLimits,
): Pool {
  // Each by itself: not every platform or version has them.
  const settings = [endWithConnection, noticeLostNode, ...(liftsRoleLimits ? noRoleLimits : [])]
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
    Client: ClosingClient,
    onConnect: async (client) => {
      // All are sent at once: a limit of the role may be a few milliseconds. A broken connection fails the first of them.
      const staying = isForNoTable ? null : stayIn(schema?.() ?? null, client as pg.Client, connectMaxMs)
      for (const setting of settings) client.query(setting).catch(() => {})
      await staying
    },
  } as pg.PoolConfig)
  pool.on('error', () => {})
  closeSilentTogether(pool)
  // Without a listener, a backend that dies would end the whole process. The pool listens only while a connection is
  // idle. This listener also covers a server that closes a connection right after it was opened.
  pool.on('connect', (client) => {
    client.on('error', () => {})
  })
  return pool
}

/**
 * Nobody gets the connection before: what comes earlier in the search_path of the role, such as another ledger, a table of
 * the same name, or a function in place of PostgreSQL's own, would be used instead. Temporary tables come last; where the
 * path does not name them, they come first. The pool's own limit for a connection ends with the login.
 */
async function stayIn(schema: Schema, client: pg.Client, maxMs: number): Promise<void> {
  const stay = schema === null ? stayWithLedger : `SET search_path = ${schema}, pg_temp`
  const set = { text: stay, query_timeout: maxMs }
  try {
    await client.query(set)
  } catch (error) {
    // The pool says goodbye and waits for the server to close the connection: without a limit, and its caller with it.
    client.connection.stream.destroy()
    throw error
  }
}

/**
 * The driver leaves a connection open if it breaks the login off itself, as it does without a password. PostgreSQL would
 * wait for it for a minute, and the attempts of a server would take all of its connections.
 */
class ClosingClient extends CheckedClient {
  override connect(): Promise<pg.Client>
  override connect(done: (error: Error | null) => void): void
  override connect(done?: (error: Error | null) => void): unknown {
    if (done === undefined) return super.connect()
    return super.connect((error: Error | null) => {
      if (error !== null) this.connection.stream.destroy()
      done(error)
    })
  }
}

/**
 * PostgreSQL looks once a second whether we have closed the connection of a statement. Otherwise one that waits for a
 * lock would wait on after we gave it up, and each new attempt would leave one more session, until none is left for
 * anybody. A COMMIT that waits for the standby is not ended by it.
 */
const endWithConnection = 'SET client_connection_check_interval = 1000'

/**
 * PostgreSQL gives a node's machine or network up after 30 s of silence, and 15 s in an award's transaction, because of
 * its tcp_user_timeout. The defaults of the operating system let it keep its locks for two hours.
 */
const noticeLostNode =
  'SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 4'

/**
 * Limits that are set for the role or the database would end a verify, an export, an import or a migration half way. Each
 * transaction sets its own for the time that it is idle.
 */
const noRoleLimits = ['statement_timeout', 'lock_timeout', 'transaction_timeout', 'idle_session_timeout'].map(
  (limit) => `SET ${limit} = 0`,
)

/** Lends a connection to `work`. After a failure it is closed instead of returned, because its state is unknown. */
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

/** For reads, which change nothing: if the connection turns out to be broken, the read is retried on another one. */
export async function reading<T>(pool: Pool, clock: Clock, work: (client: Client) => Promise<T>): Promise<T> {
  const againUntil = clock.elapsed() + readAgainForMs
  for (let attempt = 1; ; attempt++) {
    try {
      return await withClient(pool, work)
    } catch (error) {
      const hadDied = isConnectionLost(error) || isSessionEnded(error)
      if (!hadDied || attempt === readAttemptsMax || clock.elapsed() >= againUntil) throw asUnavailable(error)
    }
  }
}

/** For commands and server starts: no partner reads this message, so that it may include the cause. */
export async function explained<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (isBrokenOff(error)) {
      const { message } = error as Error
      throw new Unavailable(`the database broke the connection off (${message}). ${morePlaces}`, {
        cause: error,
      })
    }
    const isBrief = error instanceof Unavailable && error.message === databaseFailed
    if (!(isBrief && error.cause instanceof Error)) throw error
    throw new Unavailable(`${error.message}: ${error.cause.message}`, { cause: error.cause })
  }
}

const urlOf = (pool: Pool) => pool.options.connectionString!
const unreachable = 'the database cannot be reached'

/** No connection could be opened, or none is free. */
export class Unreachable extends Unavailable {}

/** Why it cannot be reached is for operators only: in the log, and at their readyz. */
export async function connect(pool: Pool): Promise<Client> {
  try {
    return await pool.connect()
  } catch (error) {
    const why = whyUnreachable(error, urlOf(pool))
    throw new Unreachable(`${unreachable}: ${why}`, { forPartners: unreachable, cause: error })
  }
}

/**
 * For every transaction of several round trips. The role may have a limit of its own: a short one would end each of them,
 * and without one a process that stops in the middle would keep its locks and its snapshot.
 */
export const idleAtMost = (ms: number) => `SET LOCAL idle_in_transaction_session_timeout = ${ms}`

/** For one that takes milliseconds. */
export const brieflyIdle = idleAtMost(10_000)

/**
 * Runs `work` in one transaction, all or nothing. For operators' changes; awards use commit.ts. If COMMIT is not confirmed
 * within `commitMaxMs`, perhaps because the standby is unreachable, the outcome is unknown; null waits without a limit.
 * A process that stops in the middle for `idleMaxMs` loses its transaction, because others wait for its locks.
 */
export async function inTransaction<T>(
  pool: Pool,
  work: (client: Client) => Promise<T>,
  { commitMaxMs = 10_000, idleMaxMs = 10_000 }: { commitMaxMs?: number | null; idleMaxMs?: number } = {},
): Promise<T> {
  return withClient(pool, async (client) => {
    // Independent of the database's default: after a wait for a lock, we read what was committed in the meantime.
    await client.query(
      `BEGIN ISOLATION LEVEL READ COMMITTED; ${waitForStandby}; ${keepNulls}; ${hearWorkers}; ${idleAtMost(idleMaxMs)}`,
    )
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

const lookFirst = 'Check whether it was made; when the standby is back, run the command again'

/** For an import or a migration, whose COMMIT may take long. */
export function inLongTransaction<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  return inTransaction(pool, work, { commitMaxMs: null, idleMaxMs: 0 })
}

/** The session ended before it reported the result of its transaction. */
function isSessionEnd(error: unknown): boolean {
  return /^(08|57P0|40003)/.test(sqlStateOf(error) ?? '')
}

/** The SQLSTATE of a write in a read-only session. */
export const readOnly = '25006'

/** The server ended the session: because it is stopped or has crashed, by an operator, or because the session was idle. */
export function isSessionEnded(error: unknown): boolean {
  return /^57P0[125]$/.test(sqlStateOf(error) ?? '')
}

const databaseFailed = 'the database failed'

/** A page or an index that PostgreSQL cannot make sense of. Perhaps only some awards need it. */
const damagedPages = new Set(['XX001', 'XX002'])

/** These failures become `Unavailable`. Any other error is a bug and is returned unchanged. */
export function asUnavailable(error: unknown): unknown {
  if (error instanceof Unavailable) return error
  if (damagedPages.has(sqlStateOf(error) ?? '')) return new DamagedRows(databaseFailed, { cause: error })
  if (!isConnectionLost(error) && !unavailableCodes.test(sqlStateOf(error) ?? '') && !isWorkerLost(error))
    return error
  return new Unavailable(databaseFailed, { cause: error })
}

/** The SQLSTATE of an error from the server; null for other errors. (EPIPE only looks like a SQLSTATE.) */
export function sqlStateOf(error: unknown): string | null {
  return error instanceof pg.DatabaseError ? (error.code ?? null) : null
}

/** An error that comes neither from the server nor from our own code (an integer beyond 2^53): the connection broke. */
export function isConnectionLost(error: unknown): boolean {
  return !(error instanceof Unavailable || error instanceof Damaged) && sqlStateOf(error) === null
}

/** The driver's own error: a statement had no response in time, and its connection was closed. */
export function isTimeout(error: unknown): boolean {
  return isConnectionLost(error) && (error as Error).message === 'Query read timeout'
}
