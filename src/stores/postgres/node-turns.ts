import { randomInt } from 'node:crypto'
import type { NodeTurn } from '../../ledger/group-commit.ts'
import { type CommitOptions, commitOn } from './commit.ts'
import { type Client, connect, type Pool } from './database.ts'
import { allOf, pipelined } from './pipeline.ts'

/**
 * When many nodes need the same accounts, each waits for its turn before it takes a batch. A turn is an advisory lock
 * that the batch's transaction releases. Awards wait in the node's queue meanwhile and not inside a batch, so late
 * arrivals are included and overdue ones are dropped. Three nodes have a turn at a time: while one writes, the next
 * ones' statements are already on their way.
 */
const turnsAtATime = 3

/** Null after a timeout or a database error: the batch is then tried without a turn. */
export async function takeNodeTurn(pool: Pool, options: CommitOptions): Promise<NodeTurn | null> {
  let client: Client | null = null
  let askedAt: number
  try {
    client = await connect(pool)
    askedAt = options.clock.elapsed()
    allOf(await pipelined(client, options.batches.beginInTurn!(randomInt(turnsAtATime))))
  } catch (error) {
    client?.release(error as Error)
    return null
  }
  const held = client
  let isUsed = false
  return {
    commit(commands, lockWait) {
      isUsed = true
      return commitOn(pool, { ...options, turn: { client: held, askedAt } }, commands, lockWait)
    },
    // Without its connection the transaction ends.
    end() {
      if (!isUsed) held.release(true)
    },
  }
}
