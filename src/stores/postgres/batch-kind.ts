import type { LockWait } from '../../ledger/commit-batch.ts'
import type { BatchStatements } from './batch-statements.ts'
import type { ShardMap } from './citus/shard-map.ts'
import { hearWarnings, keepNulls, waitForStandby } from './commit-confirmation.ts'
import { manyAccounts } from './many-accounts.ts'
import type { Statement } from './pipeline.ts'

/** How batches are run on one kind of database. */
export type BatchKind = {
  /** The tables are on several nodes of a Citus cluster. */
  distributed: boolean
  /** By which its accounts are grouped; null: any of them can be in one batch. */
  shards: ShardMap | null
  statements: BatchStatements
  /** Orders are taken to be new without looking: the unique key of the entries reports those that are not. */
  expectsNewOrders: boolean
  accountsMax: number
  /** Concurrent shared batches, and in addition batches of single accounts after a lock timeout. */
  commitsMax: number
  commitsAloneMax: number
  /** How long a batch that follows another at once waits for more awards. */
  gatherMs: number
  lockWaits: Record<LockWait, LockLimits>
  /** The statements that begin a transaction with this lock timeout. */
  begin(waitMaxMs: number): Statement[]
  /** The statements that begin a transaction and wait for its turn; null: nodes take no turns. */
  beginInTurn: ((turn: number) => Statement[]) | null
}

/** How long a batch waits for locks and retries, and how its transaction begins. */
export type LockLimits = { waitMaxMs: number; begin: Statement[] }

/** For each lock. All of a round trip together are bounded by the client's own limit (`answerMaxMs` in open.ts). */
const lockWaitMaxMs = 4_000
/**
 * After this part of it, a batch is taken apart, so that a lock on one account does not delay the others. A little longer
 * than PostgreSQL's deadlock_timeout, so that a deadlock is reported as such.
 */
const shortLockWaitMaxMs = 1_200
/**
 * Then each account is tried alone for this long. Even if nearly all of a batch are locked, the others have their turn
 * before their deadline.
 */
export const briefLockWaitMaxMs = 50
/**
 * A node that freezes or disappears between its two round trips loses its transaction, and its turn, after this long.
 * Transactions that began to wait meanwhile still get the locks in time.
 */
const idleMaxMs = 2_500

/**
 * A node that freezes while PostgreSQL sends it what it has loaded: many replays with large `meta` are more than the
 * buffers between them hold. PostgreSQL then waits for its client, which no other limit ends. By then nobody waits for
 * these awards any more.
 */
export const dropUnreadAnswers = 'SET LOCAL tcp_user_timeout = 5000'

/**
 * A node that freezes, or a proxy that falls silent, in the middle of a statement: PostgreSQL waits for the rest of it,
 * which none of the other limits ends. By then nobody waits for these awards any more, not even for those that were taken
 * after the longest wait for a turn.
 */
const endHalfSent = 'SET LOCAL transaction_timeout = 10000'

/**
 * A connection that is silent for this long, with nothing to wait for, is taken for dead: a new one may work. As long as a
 * busy database may take to accept one (`requestConnectMaxMs` in open.ts), and for the same reason: an award waits for 5 s.
 */
export const silentMaxMs = 3_000

/** BEGIN waits for no lock, and PostgreSQL answers it before it runs the statements behind it, which do. */
export function answeredSoon([begin, ...others]: Statement[]): Statement[] {
  return [{ ...begin!, query_timeout: silentMaxMs }, ...others]
}

/**
 * Set explicitly, independent of the database's defaults. With READ COMMITTED, a statement after a lock wait sees what
 * the other transaction has committed.
 */
export const transaction = (waitMaxMs: number) => [
  'BEGIN ISOLATION LEVEL READ COMMITTED',
  waitForStandby,
  keepNulls,
  'SET LOCAL statement_timeout = 0', // lock_timeout and the client's timeout apply instead
  `SET LOCAL lock_timeout = ${waitMaxMs}`,
  `SET LOCAL idle_in_transaction_session_timeout = ${idleMaxMs}`,
]

/**
 * Plans are made once and must use indexes: a plan made while the tables were empty would scan them completely later.
 */
const planning = ['SET LOCAL enable_seqscan = off', 'SET LOCAL plan_cache_mode = force_generic_plan']

function onPostgres(waitMaxMs: number, more: string[] = []): LockLimits {
  const settings = [...transaction(waitMaxMs), dropUnreadAnswers, hearWarnings, ...planning, ...more]
  return { waitMaxMs, begin: [{ text: settings.join('; ') }] }
}

function ofBatch(waitMaxMs: number, more: string[]): LockLimits {
  return { waitMaxMs, begin: answeredSoon(onPostgres(waitMaxMs, more).begin) }
}

/** "turn" in ASCII, because other programs may also use advisory locks in this database. */
const turnSpace = 0x7475726e

function beginInTurn(turn: number, more: string[]): Statement[] {
  const take = `SELECT pg_advisory_xact_lock(${turnSpace}, ${turn})`
  return [
    ...ofBatch(lockWaitMaxMs, more).begin,
    { text: [take, `SET LOCAL lock_timeout = ${shortLockWaitMaxMs}`].join('; ') },
  ]
}

/** Two at a time: while one commits, the other is decided. More would only be smaller and need more fsyncs. */
function batchesWith(more: string[]): BatchKind {
  return {
    distributed: false,
    shards: null,
    statements: manyAccounts,
    expectsNewOrders: false,
    accountsMax: 128,
    commitsMax: 2,
    commitsAloneMax: 6,
    gatherMs: 0,
    begin: (waitMaxMs) => onPostgres(waitMaxMs).begin,
    lockWaits: {
      brief: ofBatch(briefLockWaitMaxMs, more),
      short: ofBatch(shortLockWaitMaxMs, more),
      long: ofBatch(lockWaitMaxMs - shortLockWaitMaxMs, more),
    },
    beginInTurn: (turn) => beginInTurn(turn, more),
  }
}

export const batchesOnPostgres = batchesWith([])
export const batchesOnPostgres17 = batchesWith([endHalfSent])
