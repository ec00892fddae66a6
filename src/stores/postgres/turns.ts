import { randomInt } from 'node:crypto'
import type { Turn } from '../../ledger/group-commit.ts'
import { type CommitOptions, commitOn } from './commit.ts'
import { type Client, connect, type Pool } from './database.ts'
import { allOf, pipelined } from './pipeline.ts'

/**
 * Where many nodes want the same accounts, each waits for its turn before it takes a batch: for an advisory lock that
 * ends with the batch's transaction. Nobody waits inside a batch meanwhile, so whoever comes late is still in it, and
 * whoever is overdue no longer. Three nodes have a turn at a time: while one writes, the questions of the next are on their way.
 */
const turnsAtATime = 3

/** Null: the line was too long, or the database failed. A batch without a turn then finds out. */
export async function takeTurn(pool: Pool, options: CommitOptions): Promise<Turn | null> {
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
