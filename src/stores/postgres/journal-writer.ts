import type { AlertChecker } from '../../alerts/alert-checker.ts'
import type { JournalBatch, JournalWriter } from '../../journal/journal-batch.ts'
import { journalStatements, leftOut, spansOfMinute } from '../journal-statements.ts'
import type { JournalOptions } from '../store.ts'
import { asUnavailable, type Pool, withClient } from './database.ts'
import { checkAlerts } from './check-alerts.ts'
import { prepareRetention } from './journal-retention.ts'

/** The journal in tables of its own, on a connection that nothing else uses. */
export function openJournalWriter(pool: Pool, { refusalDays }: JournalOptions): JournalWriter & AlertChecker {
  const retain = prepareRetention(pool, { refusalDays })

  return {
    async storedKey(ours, { replace } = { replace: false }) {
      return bounded(async () => {
        const { putKeyIfAbsent, replaceKey, storedKey } = journalStatements
        await pool.query(replace ? replaceKey : putKeyIfAbsent, [Buffer.from(ours)])
        const { rows } = await pool.query(storedKey)
        return rows[0].sealed
      })
    },
    async write(batch) {
      await bounded(() => withClient(pool, (client) => client.query(writeBatch(batch, refusalDays > 0))))
      await bounded(() => retain(batch.at))
    },
    checkAlerts: (now) => bounded(() => checkAlerts(pool, now)),
    close: async () => {},
  }
}

async function bounded<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw asUnavailable(error)
  }
}

/**
 * One statement, hence one transaction and one round trip. It does not wait for the standby or the disk: losing the last
 * moment in a crash is allowed. A batch whose number was written before changes nothing.
 */
const writeStatement = `
  WITH turn AS (
    INSERT INTO journal_nodes (node, batch_number, at)
    SELECT $1, $2::bigint, $3::bigint FROM set_config('synchronous_commit', 'off', true)
    ON CONFLICT (node) DO UPDATE SET batch_number = excluded.batch_number, at = excluded.at
    WHERE journal_nodes.batch_number < excluded.batch_number
    RETURNING node
  ), counted AS (
    INSERT INTO journal_counts
      (span, start, partner_id, tenant_id, endpoint, code, detail, node, responses, points)
    SELECT span, start, "partnerId", "tenantId", endpoint, code, detail, node, sum(responses), sum(points)
    FROM turn, json_to_recordset($4::json) AS given (minute bigint, "partnerId" text, "tenantId" text,
      endpoint text, code text, detail text, responses bigint, points bigint),
      LATERAL (${spansOfMinute}) AS spans (span, start)
    GROUP BY span, start, "partnerId", "tenantId", endpoint, code, detail, node
    ON CONFLICT (span, start, partner_id, tenant_id, endpoint, code, detail, node) DO UPDATE
    SET responses = journal_counts.responses + excluded.responses, points = journal_counts.points + excluded.points
  ), refused AS (
    INSERT INTO journal_refusals (at, node, partner_id, key_id, tenant_id, endpoint, code, cap, cap_limit,
      requested, used, request_id, order_fingerprint)
    SELECT at, node, "partnerId", "keyId", "tenantId", endpoint, code, cap, "limit",
      requested, used, "requestId", "orderFingerprint"
    FROM turn, json_to_recordset($5::json) AS given (at bigint, "partnerId" text, "keyId" text, "tenantId" text,
      endpoint text, code text, cap text, "limit" bigint, requested bigint, used bigint, "requestId" text,
      "orderFingerprint" text)
  ), replayed AS (
    INSERT INTO journal_replays (order_fingerprint, partner_id, key_id, node, replays, first_at, last_at)
    SELECT coalesce("orderFingerprint", '${leftOut}'), "partnerId", coalesce("keyId", '${leftOut}'), node,
      replays, "firstAt", "lastAt"
    FROM turn, json_to_recordset($7::json) AS given ("orderFingerprint" text, "partnerId" text, "keyId" text,
      replays bigint, "firstAt" bigint, "lastAt" bigint)
    ON CONFLICT (order_fingerprint, partner_id, key_id, node) DO UPDATE
    SET replays = journal_replays.replays + excluded.replays, last_at = excluded.last_at
  ), replays_begun AS (
    UPDATE journal_key SET replays_since = $8::bigint FROM turn
    WHERE replays_since IS NULL AND $8::bigint IS NOT NULL
  )
  INSERT INTO journal_key_uses (key_id, node, partner_id, at, clock_difference_ms)
  SELECT "keyId", node, "partnerId", at, "clockDifferenceMs"
  FROM turn, json_to_recordset($6::json) AS given ("keyId" text, "partnerId" text, at bigint, "clockDifferenceMs" bigint)
  ON CONFLICT (key_id, node) DO UPDATE SET at = excluded.at, clock_difference_ms = excluded.clock_difference_ms`

function writeBatch(batch: JournalBatch, keepsReplays: boolean) {
  const { node, number, at, since, counts, refusals, keyUses, replays } = batch
  const lists = [counts, refusals, keyUses, replays].map((rows) => JSON.stringify(rows))
  const values = [node, number, at, ...lists, keepsReplays ? since : null]
  return { name: 'write-journal', text: writeStatement, values }
}
