import type { Report } from '../../test/support/long-run.ts'
import { median } from '../median.ts'

export type SideName = 'old' | 'new'

/** Responses a second, and microseconds of CPU time for one, by thread. */
export type Figures = Record<string, number>

/** What each round found. */
export type Rounds = Record<SideName, Figures[]>

/** Medians of both, and the ratio new ÷ old of each round: its median, lowest and highest. */
export function compared(measured: Map<string, Rounds>): Report['figures'] {
  const figures: Report['figures'] = {}
  for (const [load, { old, new: fresh }] of measured) {
    for (const figure of Object.keys(old[0] ?? {})) {
      if (old.every((round) => round[figure] === 0)) continue
      const ratios = old.map((round, index) => fresh[index]![figure]! / Math.max(1e-9, round[figure]!))
      const of = (rounds: Figures[]) => median(rounds.map((round) => round[figure]!)).toFixed(1)
      const [low, middle, high] = [Math.min(...ratios), median(ratios), Math.max(...ratios)]
      const ratio = `× ${middle.toFixed(3)} (${low.toFixed(3)} to ${high.toFixed(3)})`
      figures[`${load}: ${figure}`] = `${of(old)} → ${of(fresh)}, ${ratio}`
    }
  }
  return figures
}
