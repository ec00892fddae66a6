import type { LockWait } from '../../ledger/commit-batch.ts'
import type { BatchStatements } from './batch-statements.ts'
import { isDistributed } from './citus/is-distributed.ts'
import { hearWarnings, hearWorkers, waitForStandby } from './commit-confirmation.ts'
import type { Client } from './database.ts'
import { manyAccounts } from './many-accounts.ts'
import { oneAccount } from './one-account.ts'
import type { Statement } from './pipeline.ts'

/** How batches are done on one kind of database. */
export type BatchKind = {
  /** The tables are on several nodes of a Citus cluster. */
  distributed: boolean
  statements: BatchStatements
  accountsMax: number
  /** Batches side by side; and beside them, those of single accounts after a lock timeout. */
  commitsMax: number
  commitsAloneMax: number
  lockWaits: Record<LockWait, LockLimits>
  /** A transaction that waits this long for a lock. */
  begin(waitMaxMs: number): Statement[]
  /** The beginning of a transaction that first waits for its turn; null: nodes take no turns. */
  beginInTurn: ((turn: number) => Statement[]) | null
}

/** How long a batch waits for a lock and tries again, and how its transaction begins. */
type LockLimits = { waitMaxMs: number; begin: Statement[] }

/** An award waits no longer than this, and neither does its transaction, which may hold locks that others need. */
const lockWaitMaxMs = 4_000
/**
 * The part of it after which a batch is taken apart: what one account waits for, the others need not. A little longer
 * than PostgreSQL needs to notice a deadlock, so that one is called by its name.
 */
const shortLockWaitMaxMs = 1_200
/**
 * A node that freezes or vanishes between its two trips loses its transaction, and its turn, after this long. Whoever
 * began to wait meanwhile still gets its locks.
 */
const idleMaxMs = 2_500

/**
 * Whatever the database's defaults are. Every statement sees what was committed before it: what a lock had to wait
 * for is then read as it is.
 */
const transaction = (waitMaxMs: number) => [
  'BEGIN ISOLATION LEVEL READ COMMITTED',
  waitForStandby,
  'SET LOCAL statement_timeout = 0', // the lock's limit and the client's are the ones that hold
  `SET LOCAL lock_timeout = ${waitMaxMs}`,
  `SET LOCAL idle_in_transaction_session_timeout = ${idleMaxMs}`,
]

/**
 * The plans are made once and by keys: one made while the tables were empty would read them from end to end when they
 * no longer are.
 */
const planning = ['SET LOCAL enable_seqscan = off', 'SET LOCAL plan_cache_mode = force_generic_plan']

/**
 * Citus has no generic plan for INSERT … SELECT, and its workers plan every statement again. The limits are for them,
 * who hold the locks; each is a message of its own, since what Citus passes on is the whole text of one.
 */
const passedOn = "SET LOCAL citus.propagate_set_commands = 'local'"

function onPostgres(waitMaxMs: number): LockLimits {
  return { waitMaxMs, begin: [{ text: [...transaction(waitMaxMs), hearWarnings, ...planning].join('; ') }] }
}

/** "turn" in ASCII: others may use advisory locks of this database, too. */
const turnSpace = 0x7475726e

function beginInTurn(turn: number): Statement[] {
  const { waitMaxMs } = batchesOnPostgres.lockWaits.short
  const [{ text }] = onPostgres(lockWaitMaxMs).begin as [Statement]
  const take = `SELECT pg_advisory_xact_lock(${turnSpace}, ${turn})`
  return [{ text: [text, take, `SET LOCAL lock_timeout = ${waitMaxMs}`].join('; ') }]
}

function onCitus(waitMaxMs: number): LockLimits {
  const [begin, ...limits] = transaction(waitMaxMs)
  // What we hear is not for the workers: it comes before `passedOn`.
  return { waitMaxMs, begin: [begin!, hearWorkers, passedOn, ...limits].map((text) => ({ text })) }
}

/** Two at a time: while one commits, the other is decided. More of them are only smaller, and pay more fsyncs. */
export const batchesOnPostgres: BatchKind = {
  distributed: false,
  statements: manyAccounts,
  accountsMax: 128,
  commitsMax: 2,
  commitsAloneMax: 6,
  begin: (waitMaxMs) => onPostgres(waitMaxMs).begin,
  lockWaits: { short: onPostgres(shortLockWaitMaxMs), long: onPostgres(lockWaitMaxMs - shortLockWaitMaxMs) },
  beginInTurn,
}

export const batchesOnCitus: BatchKind = {
  distributed: true,
  statements: oneAccount,
  accountsMax: 1,
  commitsMax: 8,
  commitsAloneMax: 0,
  begin: (waitMaxMs) => onCitus(waitMaxMs).begin,
  lockWaits: { short: onCitus(lockWaitMaxMs), long: onCitus(lockWaitMaxMs) },
  beginInTurn: null,
}

export async function batchesOn(client: Client): Promise<BatchKind> {
  return (await isDistributed(client)) ? batchesOnCitus : batchesOnPostgres
}
