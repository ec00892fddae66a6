import type { Report } from '../../test/support/long-run.ts'
import { median } from '../median.ts'

/** The checkout with which the others are compared. */
export const thisOne = 'new'

/** Responses a second, and microseconds of CPU time for one, by thread. */
export type Figures = Record<string, number>

/** What each round found, by side. */
export type Rounds = Map<string, Figures>[]

/** Medians of both, and the ratio new ÷ old of each round: its median, lowest and highest. */
export function compared(measured: Map<string, Rounds>): Report['figures'] {
  const figures: Report['figures'] = {}
  for (const [load, rounds] of measured) {
    for (const other of rounds[0]?.keys() ?? []) {
      if (other === thisOne) continue
      for (const figure of Object.keys(rounds[0]!.get(other)!)) {
        const pairs = rounds.map(
          (round) => [round.get(other)![figure]!, round.get(thisOne)![figure]!] as const,
        )
        if (pairs.every(([old]) => old === 0)) continue
        const [was, is] = [0, 1].map((side) => median(pairs.map((pair) => pair[side]!)).toFixed(1))
        const ratios = pairs.map(([old, fresh]) => fresh / Math.max(1e-9, old))
        const [low, middle, high] = [Math.min(...ratios), median(ratios), Math.max(...ratios)]
        const ratio = `× ${middle.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`
        figures[`${load}, ${other}: ${figure}`] = `${was} → ${is}, ${ratio}`
      }
    }
  }
  return figures
}
