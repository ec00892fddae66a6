import type { Logger } from 'pino'
import { createRateLimit } from '../access/rate-limit.ts'
import type { KeyDirectory } from '../access/key-directory.ts'
import type { Clock } from '../clock.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { AddressLimit } from '../wire/address-limit.ts'
import { createDoor, type Door } from '../wire/door.ts'
import type { Readiness } from '../wire/readiness.ts'
import { awardRoute } from './award/route.ts'
import { createCallerCheck } from './caller.ts'
import { contractRoute } from './contract/route.ts'
import { docsRoutes } from './docs/route.ts'
import { historyRoute } from './history/route.ts'

export type PartnerDoorParts = {
  ledger: Ledger
  keys: KeyDirectory
  clock: Clock
  clockWindowMs: number
  log: Logger
  ready: Readiness
  addressLimit: AddressLimit
}

/** The partner door: the two endpoints, their contract, their documentation, and nothing else. */
export function createPartnerDoor({
  ledger,
  keys,
  clock,
  clockWindowMs,
  log,
  ready,
  addressLimit,
}: PartnerDoorParts): Door {
  const door = createDoor({ name: 'partner', log, ready, readyGivesReasons: false, addressLimit })
  const callerOf = createCallerCheck({ keys, clock, clockWindowMs, rateLimit: createRateLimit() })
  awardRoute(door.app, { callerOf, ledger, clock })
  historyRoute(door.app, { callerOf, ledger })
  contractRoute(door.app)
  docsRoutes(door.app)
  return door
}
