import { addedUpDays, addUpStatements, retentionEveryMs, retentionSteps } from '../journal-retention.ts'
import { createRetentionTime, olderThan, retentionStatements } from '../retention-time.ts'
import { brieflyIdle, type Client, type Pool, withClient } from './database.ts'

/** Any number, as long as it is ours: one process at a time deletes for all of them. */
const retentionLock = 7_305_113

/** Parts that are deleted after one batch: the next batch has to wait for them. */
const partsMax = 10

/** Once a minute, a few parts after each batch until nothing is left. */
export function prepareRetention(
  pool: Pool,
  { refusalDays }: { refusalDays: number },
): (now: number) => Promise<void> {
  let dueAt = 0
  const retentionTime = createRetentionTime()

  /** Whether there was nothing to delete, or another process is deleting. */
  async function deleteSome(client: Client, at: number): Promise<boolean> {
    const { rows } = await client.query(
      `SELECT pg_try_advisory_xact_lock(${retentionLock}::bigint) AS locked`,
    )
    if (!rows[0].locked) return true
    const [stored] = (await client.query(retentionStatements.reached, [olderThan(at)])).rows
    const now = retentionTime(at, stored)
    if (now !== stored.reached) await client.query(retentionStatements.put, [now])
    let deleted = 0
    for (const { sql, before } of retentionSteps(now, refusalDays))
      deleted += (await client.query(sql, [before])).rowCount ?? 0
    if (deleted > 0) return false
    await client.query(addUpDays, addedUpDays(now))
    return true
  }

  return async (now) => {
    if (now < dueAt && now > dueAt - 2 * retentionEveryMs) return
    const isDone = await withClient(pool, async (client) => {
      for (let parts = 0; parts < partsMax; parts++) {
        await client.query(`BEGIN; SET LOCAL synchronous_commit = off; ${brieflyIdle}`)
        const nothingLeft = await deleteSome(client, now)
        await client.query('COMMIT')
        if (nothingLeft) return true
      }
      return false
    })
    if (isDone) dueAt = now + retentionEveryMs
  }
}

const addUpDays = `
  WITH removed AS (${addUpStatements.remove} RETURNING *) ${addUpStatements.add('FROM removed')}`
