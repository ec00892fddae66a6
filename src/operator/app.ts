import type { Logger } from 'pino'
import type { AddressLimit } from '../wire/address-limit.ts'
import { createHttpListener, type HttpListener } from '../wire/http-listener.ts'
import type { Readiness } from '../wire/readiness.ts'

/** The operator's listener, on a port and an address of its own: health with its reasons, and nothing a stranger could use. */
export function createOperatorListener(parts: {
  log: Logger
  ready: Readiness
  addressLimit: AddressLimit
}): HttpListener {
  return createHttpListener({ ...parts, name: 'operator', readyGivesReasons: true })
}
