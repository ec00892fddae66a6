import { progressBar } from '../../src/cli/progress.ts'
import type { FreshDatabase } from '../support/fresh-database.ts'
import type { Report } from '../support/long-run.ts'
import { startPostgres, stopPostgres } from '../support/postgres-server.ts'
import { type Random, randomFrom } from '../support/seeded-random.ts'
import { type ServerProcess, startServerProcess } from '../support/server-process.ts'
import { check } from './checker.ts'
import { countsOf, HistoryLog } from './history-log.ts'
import { type PartnerPlan, type Stage, setStage } from './stage.ts'
import { startTraffic, type Traffic, type TrafficPlan } from './traffic.ts'

export type Scene = {
  stage: Stage
  log: HistoryLog
  random: Random
  /** A server in its own process; it ends with the scenario at the latest. */
  startServer(environment?: Record<string, string>, args?: string[]): Promise<ServerProcess>
  startTraffic(plan: Pick<TrafficPlan, 'urls' | 'clients' | 'pauseMs'>): Traffic
  /** Progress, from 0 to 1. */
  show(done: number): void
  /** What a scenario starts itself ends with it. */
  after(release: () => Promise<unknown> | unknown): void
}

type Play = {
  seed: number
  database?: 'sqlite' | 'postgres' | FreshDatabase
  partners?: PartnerPlan[]
  /** Refusals that are not a violation here. */
  refusals?: string[]
}

/** What a scenario adds to the checker's findings. */
type Act = (scene: Scene) => Promise<{ figures: Report['figures']; violations?: string[] }>

/** Prepares the database, runs the scenario, then compares what the partners saw with the ledger. */
export async function play(
  { seed, database = 'sqlite', partners, refusals = ['DAILY_CAP_EXCEEDED'] }: Play,
  act: Act,
): Promise<Report> {
  await using cleanup = new AsyncDisposableStack()
  if (database === 'postgres' && process.env.TEST_DATABASE_URL === undefined) {
    await startPostgres()
    cleanup.defer(stopPostgres)
  }
  const stage = await setStage(database, { partners })
  cleanup.defer(() => stage.database.remove())
  const log = new HistoryLog()
  const bar = progressBar('chaos')
  const { figures, violations = [] } = await actOn()
  bar.end()
  const end = await stage.atTheEnd()
  violations.push(...check(log, end, { refusals }))
  if (violations.length > 0) violations.push(`the history is in ${log.save()}`)
  return { figures: { ...figures, ...countsOf(log), entries: end.entries.length }, violations }

  async function actOn(): ReturnType<Act> {
    await using scene = new AsyncDisposableStack()
    return await act({
      stage,
      log,
      random: randomFrom(seed),
      async startServer(environment, args = []) {
        const server = await startServerProcess({ ...stage.environment, ...environment }, { args })
        scene.defer(async () => void (await server.end('SIGKILL')))
        return server
      },
      startTraffic(plan) {
        const traffic = startTraffic({ ...plan, partners: stage.partners, log, seed })
        scene.defer(() => traffic.stop())
        return traffic
      },
      show: bar.show,
      after: (release) => scene.defer(async () => void (await release())),
    })
  }
}
