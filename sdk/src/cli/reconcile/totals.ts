import type { FindingKind } from './finding.ts'

export type Total = { count: number; points: number }

/**
 * Every row and every award is counted once besides the two sums:
 * orders = matched + different + missing + belowMinimum + repeated + unreadable,
 * awards = matched + different + extra + outsideRange + unreadableOrder.
 * The points are the service's where there is an award, otherwise the list's.
 */
export type Totals = Record<
  | 'orders'
  | 'awards'
  | 'matched'
  /** An order that gives no EP, and got none. */
  | 'belowMinimum'
  /** Not listed, but awarded before --from or after --to. */
  | 'outsideRange'
  /** Awarded to the order of an unreadable row. */
  | 'unreadableOrder'
  | FindingKind,
  Total
>

export function noTotals(): Totals {
  const none = () => ({ count: 0, points: 0 })
  return {
    orders: none(),
    awards: none(),
    matched: none(),
    different: none(),
    missing: none(),
    extra: none(),
    repeated: none(),
    unreadable: none(),
    belowMinimum: none(),
    outsideRange: none(),
    unreadableOrder: none(),
  }
}

export function count(total: Total, points: number): void {
  total.count++
  total.points += points
}

/** What makes the exit code 1. */
export function differences(totals: Totals): number {
  const { different, missing, extra, repeated, unreadable } = totals
  return different.count + missing.count + extra.count + repeated.count + unreadable.count
}
