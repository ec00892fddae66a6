import type { IncomingMessage } from 'node:http'
import { limits } from './limits.ts'

/**
 * As how many unfinished requests it counts. Its body waits in memory until it is started: 64 of 64 KiB on each of 4,096
 * connections would be 16 GB. The length of a body in chunks is not known yet.
 */
export function weightOf({ headers }: IncomingMessage): number {
  const isChunked = headers['transfer-encoding'] !== undefined
  const bytes = isChunked ? limits.bodyBytesMax : Number(headers['content-length'] ?? 0)
  return 1 + Math.floor(Math.min(bytes, limits.bodyBytesMax) / limits.bodyBytesPerRequest)
}

/** As how many requests a body counts in a turn: by what it takes to read it. */
export function weightInTurn(bytes: number): number {
  return 1 + Math.floor(bytes / limits.bodyBytesPerAward)
}

/** At the start of a request. Of a body in chunks, what has come counts; and of one that comes later, nothing. */
export function weightAtStart({ headers, readableLength, complete }: IncomingMessage): number {
  return complete ? weightInTurn(Number(headers['content-length'] ?? readableLength)) : 1
}
