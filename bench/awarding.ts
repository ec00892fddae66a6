import type { PartnerKey } from '../test/chaos/stage.ts'
import type { BenchRun, Measured } from './bench-run.ts'
import type { Child } from './child.ts'

/** Fresh awards of some partners on one server, and replays of the last ones. */
export type Awarding = {
  shelf: string
  /** Signs what a run of this many seconds will need. */
  prepare(seconds: number): Promise<void>
  prepareExactly(count: number): Promise<void>
  fresh(how: RunShape): Promise<Measured>
  /** Of what `fresh` has credited since it was prepared. */
  replays(how: RunShape): Promise<Measured>
}

type RunShape = {
  seconds: number
  connections?: number
  perSecond?: number | null
  warmUp?: boolean
  as?: string
}

export const usualConnections = 64
const firstGuessPerSecond = 12_000
const spare = 1.6
const startedAt = Date.now().toString(36)

export function createAwarding(
  bench: BenchRun,
  name: string,
  {
    server,
    partners,
    onCredited,
  }: { server: Child; partners: PartnerKey[]; onCredited: (count: number) => void },
): Awarding {
  const shelf = name
  let filled = 0
  let credited = 0
  let guess = firstGuessPerSecond

  async function prepareExactly(count: number): Promise<void> {
    // New orders, whatever has run on this ledger: one from an earlier run already has the orders of that run.
    const orders = `${name.replaceAll(/[^a-z]+/gi, '-')}-${startedAt}-${++filled}`
    const seed = bench.options.seed + filled
    await bench.generator.fill({ shelf, kind: 'awards', partners, orders, count, seed })
    credited = 0
  }

  const planOf = ({ seconds, connections = usualConnections, perSecond = null }: RunShape) => ({
    shelf,
    seconds,
    connections,
    perSecond,
  })

  return {
    shelf,
    prepare: (seconds) => prepareExactly(Math.ceil(guess * spare * seconds)),
    prepareExactly,
    async fresh(how) {
      const plan = { ...planOf(how), expected: { kind: 'credited' }, again: false } as const
      const measured = await bench.measure(how.as ?? name, server, plan, { warmUp: how.warmUp ?? false })
      credited = measured.answered - measured.wrong
      onCredited(credited)
      if (plan.perSecond === null) guess = Math.max(1000, measured.perSecond)
      return measured
    },
    replays(how) {
      const plan = { ...planOf(how), expected: { kind: 'duplicate' }, again: true, orders: credited } as const
      return bench.measure(how.as ?? `${name}, replays`, server, plan, { warmUp: how.warmUp ?? false })
    },
  }
}
