import type { Logger } from 'pino'
import { type AddressList, addressList } from '../access/address-list.ts'
import type { AddressLimit } from '../wire/address-limit.ts'
import { createHttpListener, type HttpListener } from '../wire/http-listener.ts'
import { styleRoute } from '../wire/pages/style-route.ts'
import type { Readiness } from '../wire/readiness.ts'
import { createClientAddress } from '../wire/client-address.ts'
import type { Clock } from '../clock.ts'
import type { ApiThread } from './api/thread/api-thread.ts'
import { passOnRoute } from './api/thread/pass-on.ts'
import type { Metrics } from './metrics/metrics.ts'
import { metricsRoute, type OtherProcesses } from './metrics/route.ts'
import { createScrapeAccess } from './metrics/scrape-access.ts'
import { consolePage } from './console/document.ts'
import { consoleRoutes } from './console/route.ts'
import { notFoundPage } from './not-found-page.ts'

/** The operator's listener, on its own address and port: health checks with reasons, metrics, the API for operators and, for browsers, the console. */
export function createOperatorListener({
  metrics,
  others = async () => [],
  api,
  ...parts
}: {
  log: Logger
  ready: Readiness
  addressLimit: AddressLimit
  trustedProxies?: AddressList
  metrics?: Metrics
  others?: OtherProcesses | undefined
  api?: { thread: ApiThread; clock: Clock }
}): HttpListener {
  const listener = createHttpListener({
    ...parts,
    name: 'operator',
    readyGivesReasons: true,
    hasErrorPages: false,
    browserPages: { page: consolePage, notFound: () => notFoundPage },
  })
  if (api !== undefined) {
    const clientAddressOf = createClientAddress(parts.trustedProxies ?? addressList([]))
    passOnRoute(listener.app, { ...api, clientAddressOf })
    const access = createScrapeAccess({ ...api, clientAddressOf })
    if (metrics !== undefined) metricsRoute(listener.app, { metrics, others, access })
  }
  styleRoute(listener.app)
  consoleRoutes(listener.app)
  return listener
}
