import type { Logger } from 'pino'
import type { AddressList } from '../access/address-list.ts'
import { createRateLimit } from '../access/rate-limit.ts'
import type { KeyDirectory } from '../access/key-directory.ts'
import type { Clock } from '../clock.ts'
import type { Endpoint } from '../journal/journal-batch.ts'
import type { JournalEntry } from '../journal/journal.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { AddressLimit } from '../wire/address-limit.ts'
import { createHttpListener, type HttpListener } from '../wire/http-listener.ts'
import type { Readiness } from '../wire/readiness.ts'
import { awardRoute } from './award/route.ts'
import { createCallerCheck } from './caller.ts'
import { contractRoute } from './contract/route.ts'
import { notFoundPage } from './docs/not-found.ts'
import { docsRoutes } from './docs/route.ts'
import { historyRoute } from './history/route.ts'
import { journalResponses } from './journal-response.ts'

type PartnerListenerParts = {
  ledger: Ledger
  keys: KeyDirectory
  clock: Clock
  /** Without one, nothing is recorded. */
  journal?: JournalEntry
  clockWindowMs: number
  log: Logger
  ready: Readiness
  addressLimit: AddressLimit
  trustedProxies?: AddressList
}

/** The partner listener: the two endpoints, their contract, their documentation, and nothing else. */
export function createPartnerListener({
  ledger,
  keys,
  clock,
  journal = { saw() {}, replayed() {}, keyUsed() {} },
  clockWindowMs,
  log,
  ready,
  addressLimit,
  trustedProxies,
}: PartnerListenerParts): HttpListener {
  const listener = createHttpListener({
    name: 'partner',
    log,
    ready,
    readyGivesReasons: false,
    addressLimit,
    ...(trustedProxies && { trustedProxies }),
    browserPages: { home: { at: '/docs' }, notFound: () => notFoundPage },
  })
  const callerOf = createCallerCheck({
    keys,
    clock,
    clockWindowMs,
    rateLimit: createRateLimit(),
    onSigned: journal.keyUsed,
  })
  listener.app.decorateRequest('seenAward', null)
  listener.app.decorateRequest('seenOutcome', null)
  const responded = (endpoint: Endpoint) => journalResponses(endpoint, { journal, clock })
  awardRoute(listener.app, { keys, callerOf, ledger, clock, beforeResponse: responded('award') })
  historyRoute(listener.app, { keys, callerOf, ledger, beforeResponse: responded('history') })
  contractRoute(listener.app)
  docsRoutes(listener.app)
  return listener
}
