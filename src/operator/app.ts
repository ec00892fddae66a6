import type { Logger } from 'pino'
import type { AddressLimit } from '../wire/address-limit.ts'
import { createDoor, type Door } from '../wire/door.ts'
import type { Readiness } from '../wire/readiness.ts'

/** The operator's door, on a port and an address of its own: health with its reasons, and nothing a stranger could use. */
export function createOperatorDoor(parts: {
  log: Logger
  ready: Readiness
  addressLimit: AddressLimit
}): Door {
  return createDoor({ ...parts, name: 'operator', readyGivesReasons: true })
}
