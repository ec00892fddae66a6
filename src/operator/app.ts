import type { Logger } from 'pino'
import type { Ledger } from '../ledger/ledger.ts'
import { createDoor, type Door } from '../wire/door.ts'

/** The operator's door, on a port and an address of its own: health, and nothing a stranger could use. */
export function createOperatorDoor({ ledger, log }: { ledger: Ledger; log: Logger }): Door {
  return createDoor({ log, ready: () => ledger.ready() })
}
