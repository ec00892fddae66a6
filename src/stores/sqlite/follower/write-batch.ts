import type { JournalBatch } from '../../../journal/journal-batch.ts'
import { journalStatements, leftOut, spansOf } from '../../journal-statements.ts'
import { type Database, inTransaction } from '../database.ts'
import { prepareNumbered } from '../numbered-parameters.ts'

/** Nearly every count has its row already, and an upsert of one that is there takes half as long again. */
const addToCountSql = `UPDATE journal_counts SET responses = responses + $9, points = points + $10
  WHERE (span, start, partner_id, tenant_id, endpoint, code, detail, node) = ($1, $2, $3, $4, $5, $6, $7, $8)`

/** All of a batch or nothing, and once, however often it is given. */
export function prepareWriteBatch(
  database: Database,
  { keepsReplays }: { keepsReplays: boolean },
): (batch: JournalBatch) => void {
  const lastNumber = prepareNumbered(database, journalStatements.lastNumber)
  const putNode = prepareNumbered(database, journalStatements.putNode)
  const addToCount = prepareNumbered(database, addToCountSql)
  const putCount = prepareNumbered(database, journalStatements.addCount)
  const addRefusal = prepareNumbered(database, journalStatements.addRefusal)
  const addReplays = prepareNumbered(database, journalStatements.addReplays)
  const putReplaysSince = prepareNumbered(database, journalStatements.putReplaysSince)
  const putKeyUse = prepareNumbered(database, journalStatements.putKeyUse)

  return ({ node, number, at, since, counts, refusals, replays, keyUses }) =>
    inTransaction(database, () => {
      if (((lastNumber.get(node)?.number as number | undefined) ?? 0) >= number) return
      putNode.run(node, number, at)
      for (const count of counts) {
        const { partnerId, tenantId, endpoint, code, detail, responses, points } = count
        for (const { span, start } of spansOf(count.minute)) {
          const row = [span, start, partnerId, tenantId, endpoint, code, detail, node, responses, points]
          if (addToCount.run(...row).changes === 0) putCount.run(...row)
        }
      }
      for (const r of refusals) {
        addRefusal.run(
          ...[r.at, node, r.partnerId, r.keyId, r.tenantId, r.endpoint, r.code],
          ...[r.cap, r.limit, r.requested, r.used, r.requestId, r.orderFingerprint],
        )
      }
      for (const r of replays) {
        const place = [r.orderFingerprint ?? leftOut, r.partnerId, r.keyId ?? leftOut, node]
        addReplays.run(...place, r.replays, r.firstAt, r.lastAt)
      }
      if (keepsReplays) putReplaysSince.run(since)
      for (const use of keyUses) putKeyUse.run(use.keyId, node, use.partnerId, use.at, use.clockDifferenceMs)
    })
}
