import type { PartnerKey } from '../../test/chaos/stage.ts'

/** What the generator signs before the clock starts, and keeps under a name. */
export type ShelfPlan = { shelf: string } & (AwardsPlan | HistoryPlan)

/** Awards of these partners in turn, each over its tenants in turn; one partner with one tenant is a hot account. */
export type AwardsPlan = {
  kind: 'awards'
  partners: PartnerKey[]
  orders: string
  count: number
  seed: number
}

/** One page of an account's history, requested again and again; '' is the first page. */
export type HistoryPlan = {
  kind: 'history'
  partner: PartnerKey
  tenantId: string
  cursor: string
  limit: number
}

/**
 * What every response must be: a fresh award, the replay of one that was credited from the same shelf, or exactly
 * these bytes.
 */
export type Expected =
  | { kind: 'credited' }
  | { kind: 'duplicate' }
  | { kind: 'exactly'; status: number; body: string }

export type RunPlan = {
  url: string
  shelf: string
  expected: Expected
  connections: number
  seconds: number
  /** Constant arrivals per second (open loop), or null: each connection sends after each response. */
  perSecond: number | null
  /** From the first again when the last was sent: not for fresh awards. */
  again: boolean
  /** Only this many from the start of the shelf. */
  orders?: number
}

/** Latencies are from when a request was due (open loop) or sent (closed loop) to its complete response. */
export type RunResult = {
  answered: number
  seconds: number
  perSecond: number
  p50Ms: number
  p99Ms: number
  p999Ms: number
  /** Of an open loop: from when a request was due to when it was written. */
  lagP99Ms: number
  /** The number of wrong responses, and the first few of them in words. */
  wrong: number
  wrongs: string[]
  /** Shares of one core: the CPU time of the generator, and how much of the time its event loop was busy. */
  generatorCpu: number
  generatorLoop: number
}
