import type { FindingKind } from './finding.ts'

export type Total = { count: number; points: number }

/**
 * Every row and every award is counted once besides the two sums:
 * orders = matched + different + missing + similar + belowMinimum + repeated + unreadable,
 * awards = matched + different + extra + outsideRange + unreadableOrder + similarOrder.
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
  /** Awarded to an order that the list has in another spelling only. */
  | 'similarOrder'
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
    similar: none(),
    extra: none(),
    repeated: none(),
    unreadable: none(),
    belowMinimum: none(),
    outsideRange: none(),
    unreadableOrder: none(),
    similarOrder: none(),
  }
}

export function count(total: Total, points: number): void {
  total.count++
  total.points += points
}

/** What makes the exit code 1. */
export function differences(totals: Totals): number {
  const { different, missing, similar, extra, repeated, unreadable } = totals
  return [different, missing, similar, extra, repeated, unreadable].reduce((sum, { count }) => sum + count, 0)
}
