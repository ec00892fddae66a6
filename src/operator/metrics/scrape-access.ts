import { hash } from 'node:crypto'
import { isIP } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type { Clock } from '../../clock.ts'
import type { createClientAddress } from '../../wire/client-address.ts'
import { keepConnectionOf } from '../../wire/connection.ts'
import type { ApiThread } from '../api/thread/api-thread.ts'
import type { PassedResponse } from '../api/thread/messages.ts'

/** Null: the metrics may be read. Otherwise the response that says why not. */
export type ScrapeAccess = (
  request: FastifyRequest,
) => Promise<Pick<PassedResponse, 'status' | 'headers' | 'body'> | null>

type Parts = { thread: ApiThread; clock: Clock; clientAddressOf: ReturnType<typeof createClientAddress> }

/** A token that was revoked can read the metrics for so long: Prometheus scrapes more often than that. */
const validMs = 10_000
const knownMax = 100

export const metricsAccessPath = '/metrics-access'

/**
 * From this machine the metrics can be read by everybody, from elsewhere with a token that has the scope metrics.read. Tokens
 * are checked by the API's thread, because a query of an embedded ledger would block this one.
 */
export function createScrapeAccess({ thread, clock, clientAddressOf }: Parts): ScrapeAccess {
  const allowedUntil = new Map<string, number>()

  return async (request) => {
    const address = clientAddressOf(request.raw) ?? ''
    const { headers } = request
    if (isLoopback(address) && !isForwarded(headers) && isOwnName(headers.host)) return null
    const token = hash('sha256', headers.authorization ?? '')
    const now = clock.elapsed()
    if (now < (allowedUntil.get(token) ?? 0)) {
      keepConnectionOf(request.raw, token)
      return null
    }
    const { authorization = '' } = headers
    const response = await thread.ask({
      method: 'GET',
      url: `/operator/v1${metricsAccessPath}`,
      headers: authorization === '' ? {} : { authorization },
      body: null,
      address,
      requestId: request.id,
      now: clock.now(),
    })
    if (response.status !== 204) return response
    if (allowedUntil.size >= knownMax) allowedUntil.clear()
    allowedUntil.set(token, now + validMs)
    keepConnectionOf(request.raw, token)
    return null
  }
}

function isLoopback(address: string): boolean {
  return /^(127\.|::1$)/.test(address)
}

/** A proxy on this machine passes on requests of other machines. */
function isForwarded(headers: FastifyRequest['headers']): boolean {
  return headers['x-forwarded-for'] !== undefined || headers.forwarded !== undefined
}

/**
 * A site whose name suddenly leads to 127.0.0.1 (DNS rebinding) makes a browser on this machine ask for the metrics, and may
 * read them. It cannot make the browser send another name than its own, which has a dot.
 */
function isOwnName(host: string | undefined): boolean {
  const name = (host ?? '').replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
  return isIP(name) !== 0 || !name.includes('.')
}
