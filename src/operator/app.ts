import type { Logger } from 'pino'
import type { AddressLimit } from '../wire/address-limit.ts'
import { createHttpListener, type HttpListener } from '../wire/http-listener.ts'
import type { Readiness } from '../wire/readiness.ts'

/** The operator's listener, on its own address and port: health checks with reasons. */
export function createOperatorListener(parts: {
  log: Logger
  ready: Readiness
  addressLimit: AddressLimit
}): HttpListener {
  return createHttpListener({ ...parts, name: 'operator', readyGivesReasons: true })
}
