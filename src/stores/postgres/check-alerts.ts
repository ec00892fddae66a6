import { type Alert, identityOf } from '../../alerts/alert.ts'
import type { AlertCheck } from '../../alerts/alert-checker.ts'
import { decideAlerts } from '../../alerts/decide.ts'
import { clockMs } from '../../alerts/rules.ts'
import { accountsInQuestion, seenAt, windowsOf } from '../../alerts/seen.ts'
import { vietnamDay } from '../../rules/vietnam-day.ts'
import { alertStatements, journalSeen, ledgerSeen, openAlert, raiseValues } from '../alert-statements.ts'
import { keyUsesUntil } from '../journal-statements.ts'
import { limitsQuery, nearCapQuery, sandboxTenantsQuery } from '../usage-query.ts'
import { brieflyIdle, type Client, type Pool, withClient } from './database.ts'

/** Any number, as long as it is ours: one process at a time looks. */
const lock = 7_305_114

/** Records what begins and what is over. Where another process is just looking, it only reads what is open. */
export function checkAlerts(pool: Pool, now: number): Promise<AlertCheck> {
  return withClient(pool, async (client) => {
    // Nothing waits for the disk or a standby. A connection on which this fails is closed, and its transaction with it.
    await client.query(`BEGIN; SET LOCAL synchronous_commit = off; ${brieflyIdle}`)
    const begun = await lookInTurn(client, now)
    const { rows } = await client.query(alertStatements.open)
    await client.query('COMMIT')
    return { begun, open: rows.map(openAlert) }
  })
}

const limitsOf = limitsQuery('SELECT * FROM unnest($1::text[], $2::text[])')

async function lookInTurn(client: Client, now: number): Promise<Alert[]> {
  const run = async (sql: string, values: unknown[] = []) => (await client.query(sql, values)).rows
  const [turn] = await run('SELECT pg_try_advisory_xact_lock($1::bigint) AS ours', [lock])
  if (!turn.ours) return []
  const windows = windowsOf(now)
  const rows = {
    counts: await run(alertStatements.counts, [windows.before, windows.recent]),
    refusing: await run(alertStatements.refusing, [windows.refusals]),
    keys: await run(alertStatements.keys, [windows.keys, clockMs, keyUsesUntil(now)]),
  }
  const journal = journalSeen(rows)
  const open = (await run(alertStatements.open)).map(openAlert)
  const accounts = accountsInQuestion(open, journal.refusing)
  const ledger = ledgerSeen({
    usage: await run(nearCapQuery, [vietnamDay(now)]),
    limits: await run(limitsOf, [
      accounts.map(({ partnerId }) => partnerId),
      accounts.map(({ tenantId }) => tenantId),
    ]),
    sandbox: await run(sandboxTenantsQuery),
  })
  const decision = decideAlerts(seenAt(now, ledger, journal), open)
  for (const alert of decision.holds) await run(alertStatements.hold, [identityOf(alert), now])
  for (const alert of decision.over) await run(alertStatements.end, [identityOf(alert), now])
  const begun: Alert[] = []
  for (const alert of decision.begin) {
    if ((await run(alertStatements.raise, raiseValues(alert, now))).length > 0) begun.push(alert)
  }
  return begun
}
