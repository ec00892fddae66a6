import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { startKeptConnections } from './kept-connections.ts'
import { manyAccounts } from './many-tenants.ts'
import { play } from './play.ts'
import { scenario } from './scenario.ts'
import { endNodes } from './three-nodes.ts'

const workers = 2
const loadMaxMs = 300
/** On a busy machine the first connections of a new worker take longer than it waits for them. */
const databaseLate = '503 the database cannot be reached'

export const rollingRestart = scenario({
  what: 'all workers restarted by SIGHUP under load: no request is lost',
  defaults: { restarts: 3 },
  run: ({ restarts, seed }) =>
    play({ seed, database: 'postgres', partners: manyAccounts }, async (scene) => {
      const { startServer, stage, log, random, show, after } = scene
      const server = await startServer({}, ['--workers', String(workers)])
      const load = startKeptConnections({ url: server.url, partners: stage.partners, log, seed })
      after(() => load.stop())
      for (let restart = 1; restart <= restarts; restart++) {
        await sleep(random() * loadMaxMs)
        server.signal('SIGHUP')
        await eventually('all workers are restarted', () => restartsOf(server) === restart, {
          withinMs: 90_000,
        })
        show(restart / restarts)
      }
      await sleep(loadMaxMs)
      await load.stop()
      const violations = await endNodes([server])
      const unknown = log.events.filter((event) => event.kind === 'unknown')
      const late = unknown.filter(({ why }) => why.startsWith(databaseLate))
      for (const { why } of unknown) {
        if (!why.startsWith(databaseLate)) violations.push(`I29: a request was lost: ${why}`)
      }
      const lost = unknown.length - late.length
      const connections = load.opened()
      return { figures: { restarts, workers, connections, lost, 'database late': late.length }, violations }
    }),
})

function restartsOf({ log }: ServerProcess): number {
  return log.filter((line) => line.includes('"workers restarted"')).length
}
