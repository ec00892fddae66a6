import type { Logger } from 'pino'

/** Refusals below the level of a request: they get no log line of their own. */
type RefusalKind =
  /** Too many connections from one address. */
  | 'addressFull'
  /** Too many connections in total. */
  | 'slotsFull'
  /** Idle connections closed early because few slots were left. */
  | 'idleClosed'
  /** Too many unfinished requests in total: the connection with the most was closed. */
  | 'floodClosed'
  /** Clients that did not read their responses. */
  | 'unreadClosed'
  /** Bytes that are not HTTP/1.1, or a request that was not complete in time. */
  | 'brokenHttp'

export type RefusalCounts = Readonly<Record<RefusalKind, number>>

export type Refusals = {
  count(kind: RefusalKind, address?: string): void
  /** The counts since the start. */
  read(): RefusalCounts
}

const logEveryMs = 1_000

/** Counts refusals and logs the counts at most once a second, so that a flood of them does not flood the log. */
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
