import {
  answeredSoon,
  type BatchKind,
  briefLockWaitMaxMs,
  dropUnreadAnswers,
  type LockLimits,
  transaction,
} from '../batch-kind.ts'
import { hearWorkers } from '../commit-confirmation.ts'
import { oneShard } from './one-shard.ts'
import type { ShardMap } from './shard-map.ts'

/**
 * For the short and the long wait of an award. Longer than the 2 s that Citus takes to notice a deadlock between two nodes
 * (deadlock_timeout × citus.distributed_deadlock_detection_factor), and together shorter than an award's deadline.
 */
const lockWaitMaxMs = 2_400

/**
 * The workers plan every statement again. Every row has to be found by its key, whatever their statistics say, or a
 * batch would read all users of its tenants. So every join looks up one row after the other.
 */
const planning = [
  ...['seqscan', 'bitmapscan', 'hashjoin', 'mergejoin'].map((way) => `SET LOCAL enable_${way} = off`),
  'SET LOCAL jit = off',
]

/**
 * What concerns our own connection: the coordinator waits for us. A worker that waits for the coordinator, which may
 * wait for a lock on another worker, must not end the transaction.
 */
const isOwn = (text: string) => text.includes('idle_in_transaction_session_timeout')

const passOn = (which: 'local' | 'none') => `SET LOCAL citus.propagate_set_commands = '${which}'`

/**
 * Two messages. Those of the second reach the workers, which hold the locks and plan the statements: while settings are
 * passed on, Citus sends each worker the whole text of the message in which it finds one. So it is switched off behind
 * the first one, or the text would be sent once for each of them.
 */
function limits(waitMaxMs: number): LockLimits {
  const [begin, ...timeouts] = transaction(waitMaxMs)
  const { own = [], workers = [] } = Object.groupBy(timeouts, (text) => (isOwn(text) ? 'own' : 'workers'))
  const [first, ...others] = [...workers, ...planning]
  const messages = [
    [begin!, hearWorkers, dropUnreadAnswers, ...own, passOn('local')],
    [first!, passOn('none'), ...others],
  ]
  return { waitMaxMs, begin: messages.map((texts) => ({ text: texts.join('; ') })) }
}

/**
 * Most of what a small batch costs the nodes does not depend on its size. With 64 connections, a quarter of a commit's time
 * is enough for many of those who were just answered to send their next awards.
 */
const gatherMs = 4

/** A commit takes longer here than on one PostgreSQL, mostly waiting for the workers, so three run at once instead of two. */
export function batchesOnCitus(shards: ShardMap): BatchKind {
  const waitOf = (waitMaxMs: number) => ({ waitMaxMs, begin: answeredSoon(limits(waitMaxMs).begin) })
  const wait = waitOf(lockWaitMaxMs)
  return {
    distributed: true,
    shards,
    statements: oneShard(shards.ofTenant),
    expectsNewOrders: true, // to look for them takes a statement to a worker of its own
    accountsMax: 128,
    commitsMax: 3,
    commitsAloneMax: 5,
    gatherMs,
    begin: (waitMaxMs) => limits(waitMaxMs).begin,
    lockWaits: { brief: waitOf(briefLockWaitMaxMs), short: wait, long: wait },
    beginInTurn: null,
  }
}
