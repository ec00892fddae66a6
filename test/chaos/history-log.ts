import { appendFileSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An order as a partner means it. Every attempt of it carries the same payload, unless it says otherwise. */
export type Order = {
  partnerId: string
  orderId: string
  tenantId: string
  userEmail: string
  amount: number
}

/** ok: 202 or 200. fail: 4xx. unknown: 5xx, a timeout, a reset; the partner cannot know. */
export type AttemptEvent =
  | { kind: 'invoke'; attempt: number; order: Order; changed: boolean }
  | { kind: 'ok'; attempt: number; status: 200 | 202; epTransactionId: string; points: number }
  | { kind: 'fail'; attempt: number; status: number; code: string }
  | { kind: 'unknown'; attempt: number; why: string }

/** A walk through the history of an account, from the newest to the oldest award. */
type WalkEvent =
  | { kind: 'walk'; walk: number; partnerId: string; tenantId: string }
  | { kind: 'walked'; walk: number; epTransactionIds: string[] }
  | { kind: 'walk-unknown'; walk: number; why: string }

export type Event = AttemptEvent | WalkEvent

/**
 * What the partners did and saw, in the order in which it happened: a response is in the log before anything that was
 * sent after it. It is only appended to; the checker reads it at the end.
 */
export class HistoryLog {
  readonly events: Event[] = []
  #attempts = 0
  #walks = 0

  invoke(order: Order, { changed = false } = {}): number {
    const attempt = ++this.#attempts
    this.events.push({ kind: 'invoke', attempt, order, changed })
    return attempt
  }

  beginWalk(partnerId: string, tenantId: string): number {
    const walk = ++this.#walks
    this.events.push({ kind: 'walk', walk, partnerId, tenantId })
    return walk
  }

  append(event: Event): void {
    this.events.push(event)
  }

  /** Writes it to a file, to find out how a violation happened; returns the path. */
  save(): string {
    const path = join(mkdtempSync(join(tmpdir(), 'partner-credit-history-')), 'history.ndjson')
    for (const event of this.events) appendFileSync(path, `${JSON.stringify(event)}\n`)
    return path
  }
}

/** How much happened, for the figures of a run. */
export function countsOf({ events }: HistoryLog): Record<string, number> {
  const ofKind = (kind: Event['kind']) => events.filter((event) => event.kind === kind).length
  return {
    attempts: ofKind('invoke'),
    ok: ofKind('ok'),
    refused: ofKind('fail'),
    unknown: ofKind('unknown'),
    walks: ofKind('walked'),
  }
}
