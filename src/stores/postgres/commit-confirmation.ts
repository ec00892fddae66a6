import type { PoolClient } from 'pg'
import { Unavailable } from '../../ledger/errors.ts'
import type { Outcome } from '../../rules/decide-batch.ts'

/**
 * Each of our transactions sets these for itself, so that no setting of the role or the database decides whether a
 * commit waits for the synchronous standby, and whether we are notified that this wait was cut short: PostgreSQL reports that
 * as a warning beside a successful COMMIT.
 */
export const waitForStandby = 'SET LOCAL synchronous_commit = on'
export const hearWarnings = 'SET LOCAL client_min_messages = warning'
/** On Citus: a worker's warning reaches us as DEBUG1 of the coordinator. */
export const hearWorkers = 'SET LOCAL client_min_messages = debug1'

/** Without it, an award without a note would be stored with the note "NULL", and would no longer be its own replay. */
export const keepNulls = 'SET LOCAL array_nulls = on'

/** A COMMIT was sent, and was not confirmed, or only with a warning or with a row missing: its outcome is unknown. */
export class Unconfirmed extends Unavailable {}

/**
 * Whether the outcome says that an award is in the ledger. It may be sent only after a commit of its own was confirmed:
 * the award that it names may be one whose wait for the standby was cut short, and would be lost in a failover.
 */
export function namesAnAward(outcome: Outcome): boolean {
  return outcome.kind !== 'rejected' || outcome.rejection.code === 'ORDER_ID_CONFLICT'
}

/** By code, since words and severities are translated: a plain notice, and what Citus says of its own planning. */
const harmless = new Set(['00000', '0A000'])

/** Whether the server warned of anything between now and `end`. */
export function watchWarnings(client: PoolClient): { end(): boolean } {
  let warned = false
  const onNotice = ({ code }: { code?: string | undefined }) => {
    warned ||= !harmless.has(code ?? '')
  }
  client.on('notice', onNotice)
  return {
    end() {
      client.off('notice', onNotice)
      return warned
    },
  }
}
