import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import { play } from './play.ts'
import { scenario } from './scenario.ts'

/** A moment of load before each kill: from the first acknowledgement on, sometimes later. */
const aliveMaxMs = 300

export const kill = scenario({
  what: 'kill -9 of the one server on SQLite, again and again, under load',
  defaults: { cycles: 20 },
  run: ({ cycles, seed }) =>
    play({ seed }, async ({ startServer, startTraffic, log, random, show }) => {
      let urls: string[] = []
      const traffic = startTraffic({ urls: () => urls })
      for (let cycle = 0; cycle < cycles; cycle++) {
        const server = await startServer()
        const before = log.events.length
        urls = [server.url]
        const answered = () => log.events.slice(before).some(({ kind }) => kind === 'ok')
        await eventually('an award is acknowledged', answered)
        await sleep(random() * aliveMaxMs)
        await server.end('SIGKILL')
        urls = []
        show(cycle / cycles)
      }
      const survivor = await startServer()
      urls = [survivor.url]
      await sleep(aliveMaxMs)
      await traffic.stop()
      await survivor.end('SIGTERM')
      return { figures: { kills: cycles } }
    }),
})
