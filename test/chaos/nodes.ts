import { setTimeout as sleep } from 'node:timers/promises'
import { integerBelow } from '../support/seeded-random.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { manyAccounts } from './many-tenants.ts'
import { play } from './play.ts'
import { scenario } from './scenario.ts'
import { endNodes, startThreeNodes } from './three-nodes.ts'

/** All three serve for a moment before the next one is killed. */
const togetherMaxMs = 300

export const nodes = scenario({
  what: 'three nodes on one PostgreSQL, one of them killed with -9 at a time, again and again, under load',
  defaults: { cycles: 20 },
  run: ({ cycles, seed }) =>
    play({ seed, database: 'postgres', partners: manyAccounts }, async (scene) => {
      const { startServer, startTraffic, random, show } = scene
      const running = await startThreeNodes(scene)
      let dead: ServerProcess | null = null
      const alive = () => running.filter((node) => node !== dead).map(({ url }) => url)
      const traffic = startTraffic({ urls: alive })
      for (let cycle = 0; cycle < cycles; cycle++) {
        await sleep(random() * togetherMaxMs)
        const victim = integerBelow(random, running.length)
        // Partners go on sending to it until it is gone.
        await running[victim]!.end('SIGKILL')
        dead = running[victim]!
        running[victim] = await startServer()
        dead = null
        show(cycle / cycles)
      }
      await sleep(togetherMaxMs)
      await traffic.stop()
      return { figures: { kills: cycles }, violations: await endNodes(running) }
    }),
})
