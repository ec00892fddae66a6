import type { Report } from '../support/long-run.ts'

/** One kind of failure. Its options are whole numbers, so that a short form can run as a test. */
export type Scenario<Options extends Record<string, number> = Record<string, number>> = {
  /** What it does, in one line. */
  what: string
  defaults: Options
  run(options: Options & { seed: number }): Promise<Report>
}

/** Keeps the types of a scenario's own options between its defaults and its run. */
export function scenario<const Names extends string>(plan: Scenario<Record<Names, number>>): Scenario {
  return plan as unknown as Scenario
}
