import { setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import type { Deployment } from './deployment.ts'
import { type Operation, operation } from './operations.ts'
import { openPostgresDeployment } from './postgres-deployment.ts'
import { postgresPoints } from './postgres-faults.ts'
import { Run, verify } from './run.ts'
import { openSqliteDeployment } from './sqlite-deployment.ts'
import { sqlitePoints } from './sqlite-faults.ts'
import type { Tally } from './tally.ts'

type Simulation = {
  store: 'sqlite' | 'postgres'
  nodes: number
  ops: number
  seed: number
  /** Of a counter-example that fast-check has printed: only that one is run. */
  path?: string
  fsync?: boolean
  /** For how long a counter-example is shrunk. */
  shrinkForMs?: number
  onProgress?(done: number): void
}

/** `found`: after how many operations the first divergence was seen, before any shrinking. */
type Simulated = Tally & { runs: number; failure: string | null; found: Found | null }
type Found = { operations: number; seconds: number }

/** A ledger is used by many runs, each with its own partners, until it has this many entries. */
const entriesMax = { sqlite: 4_000, postgres: 10_000 }
const operationsMax = 250
const runsPerSeed = 50
/** The distance between seeds of fast-check, so that runs with neighboring seeds have nothing in common. */
const seedStride = 1_000_003
/** A broken deployment need not close cleanly. */
const closeWithinMs = 5_000

/** Runs random operations until there were as many as requested, or until a run diverges. */
export async function simulate(simulation: Simulation): Promise<Simulated> {
  const { store, nodes, ops, seed, path, fsync = false, shrinkForMs = 60_000, onProgress } = simulation
  const tally: Tally = { operations: 0, credited: 0, unknown: 0, unasked: 0, faults: new Map() }
  const points = store === 'sqlite' ? sqlitePoints : postgresPoints
  let runs = 0
  let deployment: Deployment | undefined
  let usedFrom = 0
  let shrinkUntil = Infinity
  let found: Found | null = null
  const started = performance.now()

  async function openDeployment(): Promise<Deployment> {
    usedFrom = tally.credited
    return store === 'sqlite' ? openSqliteDeployment({ fsync }) : openPostgresDeployment({ nodes })
  }

  async function closeDeployment(): Promise<void> {
    const closing = deployment
    deployment = undefined
    await closing?.close()
  }

  const property = fc.asyncProperty(
    fc.array(operation({ points, nodes }), { maxLength: operationsMax, size: 'max' }),
    async (operations) => {
      // Shrinking goes on as long as there is something to try. After its time, the rest counts as tried.
      if (performance.now() > shrinkUntil) return
      if (found === null && tally.operations >= ops) return
      runs++
      try {
        if (deployment !== undefined && tally.credited - usedFrom > entriesMax[store]) {
          await verify(deployment)
          await closeDeployment()
        }
        deployment ??= await openDeployment()
        // From the last to the first: fast-check then first leaves out what came after the failure.
        await new Run(deployment, tally).perform(operations.toReversed())
        onProgress?.(Math.min(1, tally.operations / ops))
      } catch (error) {
        if (found === null) {
          const { operations } = tally
          found = { operations, seconds: Math.round((performance.now() - started) / 100) / 10 }
          shrinkUntil = performance.now() + shrinkForMs
        }
        await Promise.race([
          closeDeployment().catch(() => {}),
          sleep(closeWithinMs, undefined, { ref: false }),
        ])
        throw error
      }
    },
  )

  let failure: string | null = null
  try {
    for (let at = seed; tally.operations < ops && failure === null; at = (at + seedStride) % 2 ** 31) {
      const once = path === undefined ? { numRuns: runsPerSeed } : { path, numRuns: 1 }
      const details = await fc.check(property, { seed: at, unbiased: true, ...once })
      if (details.failed) failure = counterExample(details)
      if (path !== undefined) break
    }
    if (failure === null && deployment !== undefined) {
      failure = await verify(deployment).then(
        () => null,
        (error: Error) => error.message,
      )
    }
  } finally {
    await closeDeployment()
  }
  return { ...tally, runs, failure, found }
}

function counterExample(details: fc.RunDetails<[Operation[]]>): string {
  const { seed, counterexample, counterexamplePath, numShrinks, errorInstance } = details
  const operations = (counterexample?.[0] ?? []).toReversed().map((one) => `  ${JSON.stringify(one)}`)
  const error = errorInstance instanceof Error ? errorInstance.message : String(errorInstance)
  return [
    error,
    `the operations, after ${numShrinks} shrinks (again: --seed ${seed} --path ${counterexamplePath}):`,
    ...operations,
  ].join('\n')
}
