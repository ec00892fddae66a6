import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import type { HistoryLog, Order } from './history-log.ts'
import type { PartnerKey } from './stage.ts'

/**
 * One partner's orders at a constant rate, whatever their outcome (open loop), or, without a rate, the next one on
 * each connection as soon as a response has arrived (closed loop). A connection carries one request at a time, as the HTTP
 * clients of partners do, unless they are pipelined. An order that is due while all of them are busy is rejected by
 * the generator itself, as by a partner's exhausted pool.
 */
export type Stream = {
  partner: PartnerKey
  perSecond: number | null
  connections: number
  /** The most requests without a response on a connection. */
  pipelined?: number
  /** How many are signed in advance: more than the service can handle. */
  sentPerSecondMax: number
}

export type LoadPlan = { url: string; name: string; seconds: number; streams: Stream[] }

export type Sent = {
  order: Order
  /** From when it was due to when it was written: the generator's own delay. */
  lagMs: number
  /** From when it was written to its response. */
  waitMs: number
  /** Did its response arrive while the load was still offered? */
  inTime: boolean
  /** 0: the connection was lost, or no response arrived. */
  status: number
  code: string
  retryAfter: boolean
  epTransactionId: string
}

export type StreamLog = { offered: number; turnedAway: number; unanswered: number; sent: Sent[] }

/** The figures of a stream. Latencies are of the accepted orders, from when they were due. */
export type StreamFigures = {
  offered: number
  turnedAway: number
  sent: number
  accepted: number
  /** Accepted a second while the load was offered. */
  goodput: number
  shed: number
  lost: number
  p50Ms: number
  p99Ms: number
  shedP99Ms: number
  lagP99Ms: number
}

/**
 * Offers the load from its own thread; each stream has its log, in the order of the streams. It begins when everything
 * is signed and connected.
 */
export async function offerLoad(plan: LoadPlan, onBegin = () => {}): Promise<StreamLog[]> {
  const thread = new Worker(new URL('./open-loop-thread.ts', import.meta.url), { workerData: plan })
  await once(thread, 'message')
  onBegin()
  const [logs] = await once(thread, 'message')
  await thread.terminate()
  return logs
}

export function figuresOf(logs: StreamLog[], seconds: number): StreamFigures {
  const sent = logs.flatMap((log) => log.sent)
  const accepted = sent.filter(({ status }) => status === 202)
  const shed = sent.filter(({ status }) => status === 503)
  const sum = (of: (log: StreamLog) => number) => logs.reduce((total, log) => total + of(log), 0)
  const latencies = accepted.map(({ lagMs, waitMs }) => lagMs + waitMs)
  return {
    offered: sum(({ offered }) => offered),
    turnedAway: sum(({ turnedAway }) => turnedAway),
    sent: sent.length,
    accepted: accepted.length,
    goodput: Math.round(accepted.filter(({ inTime }) => inTime).length / seconds),
    shed: shed.length,
    lost: sent.filter(({ status }) => status === 0).length,
    p50Ms: percentile(latencies, 50),
    p99Ms: percentile(latencies, 99),
    shedP99Ms: percentile(
      shed.map(({ waitMs }) => waitMs),
      99,
    ),
    lagP99Ms: percentile(
      sent.map(({ lagMs }) => lagMs),
      99,
    ),
  }
}

export function percentile(values: number[], percent: number): number {
  const sorted = Float64Array.from(values).sort()
  return Math.round(sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? 0)
}

/** Every order of a load is sent once, so the log can be written at the end. Returns what no response may be. */
export function logLoad(log: HistoryLog, logs: StreamLog[]): string[] {
  const violations: string[] = []
  for (const { sent, unanswered } of logs) {
    if (unanswered > 0) violations.push(`I24: ${unanswered} requests were neither answered nor reset`)
    for (const { order, status, code, retryAfter, epTransactionId } of sent) {
      const attempt = log.invoke(order)
      if (status === 202 || status === 200)
        log.append({ kind: 'ok', attempt, status, epTransactionId, points: 1 })
      else if (status === 0) log.append({ kind: 'unknown', attempt, why: 'lost' })
      else if (status >= 500) log.append({ kind: 'unknown', attempt, why: `${status} ${code}` })
      else log.append({ kind: 'fail', attempt, status, code })
      if (status === 503 && (code !== 'UNAVAILABLE' || !retryAfter))
        violations.push(
          `I25: ${order.orderId} was shed with ${code}, Retry-After ${retryAfter ? 'yes' : 'no'}`,
        )
    }
  }
  return violations
}
