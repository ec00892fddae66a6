import type { Logger } from 'pino'

/** What we refuse strangers before it becomes a request with a log line of its own. */
type RefusalKind =
  /** Too many connections of one address. */
  | 'addressFull'
  /** Too many connections in all. */
  | 'slotsFull'
  /** Idle connections that were closed early, because few slots were left. */
  | 'idleClosed'
  /** Connections with the most unfinished requests, of too many in all. */
  | 'floodClosed'
  /** Clients that did not read their responses. */
  | 'unreadClosed'
  /** What is not HTTP/1.1, or did not arrive whole in time. */
  | 'brokenHttp'

export type RefusalCounts = Readonly<Record<RefusalKind, number>>

export type Refusals = {
  count(kind: RefusalKind, address?: string): void
  /** All of them since the start. */
  read(): RefusalCounts
}

const logEveryMs = 1_000

/** Counts them, and logs the counts, once a second at most: a flood of refusals is not a flood of log lines. */
export function createRefusals(log: Logger, listener: string): Refusals {
  const counts = {
    addressFull: 0,
    slotsFull: 0,
    idleClosed: 0,
    floodClosed: 0,
    unreadClosed: 0,
    brokenHttp: 0,
  }
  let latestAddress: string | undefined
  let changed = false
  let quiet = false

  function write(): void {
    changed = false
    quiet = true
    log.warn({ listener, ...counts, latestAddress }, 'refused')
    latestAddress = undefined
    const timer = setTimeout(() => {
      quiet = false
      if (changed) write()
    }, logEveryMs)
    timer.unref()
  }

  return {
    count(kind, address) {
      counts[kind]++
      latestAddress = address ?? latestAddress
      changed = true
      if (!quiet) write()
    },
    read: () => ({ ...counts }),
  }
}
