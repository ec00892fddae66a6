import { type Alert, type AlertKind, alertText, type RecordedAlert } from '../alerts/alert.ts'
import type { JournalReader } from '../journal/journal-reader.ts'
import { isoTime } from '../rules/iso-time.ts'
import type { LedgerQueries } from './ledger-queries.ts'
import { namedPartner } from './named.ts'

/** An alert, for people. `endedAt` is null while it is open. */
export type ShownAlert = Pick<Alert, 'kind' | 'partnerId' | 'tenantId' | 'keyId' | 'facts'> & {
  raisedAt: string
  endedAt: string | null
  text: string
}

export type AlertsAnswer = { alerts: ShownAlert[]; older: number }

type AlertsQuestion = {
  since: number
  partnerId?: string | undefined
  kind?: AlertKind | undefined
  limit: number
}

/** More are not read: what is older is less interesting. */
const readMax = 10_000

/** What operators were told, newest first, and how many older ones were left out. */
export async function alerts(
  queries: Pick<LedgerQueries, 'partner' | 'partners'>,
  journal: Pick<JournalReader, 'alerts'>,
  { since, partnerId, kind, limit }: AlertsQuestion,
): Promise<AlertsAnswer> {
  if (partnerId !== undefined) await namedPartner(queries, partnerId)
  const found = (await journal.alerts(since, readMax)).filter(
    (alert) =>
      (partnerId === undefined || alert.partnerId === partnerId) &&
      (kind === undefined || alert.kind === kind),
  )
  return { alerts: found.slice(0, limit).map(shown), older: Math.max(0, found.length - limit) }
}

function shown(alert: RecordedAlert): ShownAlert {
  const { kind, partnerId, tenantId, keyId, facts, raisedAt, endedAt } = alert
  return {
    kind,
    partnerId,
    tenantId,
    keyId,
    facts,
    raisedAt: isoTime(raisedAt, 'alerts'),
    endedAt: endedAt === null ? null : isoTime(endedAt, 'alerts'),
    text: alertText(alert),
  }
}
