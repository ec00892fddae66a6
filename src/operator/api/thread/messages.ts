/** A request as the main thread passes it on. */
export type PassedRequest = {
  id: number
  method: string
  /** Path and query. */
  url: string
  headers: Record<string, string | string[]>
  body: Uint8Array | null
  /** The network address of the client. */
  address: string | null
  requestId: string
  /** The time, by the clock of the main thread: both threads have the same one. */
  now: number
}

export type PassedResponse = {
  id: number
  status: number
  headers: Record<string, string | string[]>
  body: Uint8Array
  /** Of an error: its code, for the log and the metrics. */
  code: string | null
  /** The route needed a sign-in, and the request had one: the account, or the token of no account. */
  signedInAs: string | null
}

/** How many took at most as long as each bound, and how many there were. */
export type DurationCounts = { upTo: { bound: number; count: number }[]; count: number }

/** What the main thread measures, for the overview. */
export type NodeReadings = {
  startedAt: number
  /** Since the start: how long requests for an award took. */
  awardMs: DurationCounts
  /** The same at the end of each of the last minutes, for an hour. */
  minutes: (DurationCounts & { at: number })[]
  verifiedAt: number | null
  notSoundAt: number | null
  clockDifferenceMs: number | null
  warnings: string[]
}

export type ToThread =
  | { kind: 'request'; request: PassedRequest }
  | { kind: 'readings'; id: number; readings: NodeReadings | null }
  | { kind: 'close' }

export type FromThread =
  | { kind: 'response'; response: PassedResponse }
  | { kind: 'readings'; id: number }
  | { kind: 'log'; level: 'info' | 'warn' | 'error'; fields: Record<string, unknown>; message: string }
