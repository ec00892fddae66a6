import { setTimeout as sleep } from 'node:timers/promises'
import { readConfig } from '../../src/config.ts'
import { resumePartner, suspendPartner } from '../../src/partners/set-partner-status.ts'
import { openStore } from '../../src/stores/open.ts'
import { eventually } from '../support/eventually.ts'
import { openRaw } from '../support/raw-database.ts'
import { play, type Scene } from './play.ts'
import { scenario } from './scenario.ts'
import { endNodes, startThreeNodes } from './three-nodes.ts'

const betweenMaxMs = 50

/** An award that commits after `suspend` has returned would be visible within `--settle-ms`. */
export const suspend = scenario({
  what: 'a partner is suspended and resumed under load, again and again: nothing is committed after suspend has returned',
  defaults: { cycles: 100, postgres: 1, 'settle-ms': 1_000 },
  run: ({ cycles, postgres, seed, 'settle-ms': settleMs }) =>
    play(
      {
        seed,
        database: postgres === 1 ? 'postgres' : 'sqlite',
        refusals: ['DAILY_CAP_EXCEEDED', 'PARTNER_SUSPENDED'],
      },
      async (scene) => {
        const nodes = postgres === 1 ? await startThreeNodes(scene) : [await scene.startServer()]
        const { store, entriesOf } = await openBeside(scene)
        const traffic = scene.startTraffic({ urls: () => nodes.map(({ url }) => url) })
        const { partnerId } = scene.stage.partners[0]!
        const late: string[] = []
        for (let cycle = 0; cycle < cycles; cycle++) {
          const before = await entriesOf(partnerId)
          await eventually('awards are committed', async () => (await entriesOf(partnerId)) > before)
          await sleep(scene.random() * betweenMaxMs)
          const operator = { store, actor: 'chaos', now: Date.now() }
          await suspendPartner(operator, partnerId)
          const atReturn = await entriesOf(partnerId)
          await sleep(settleMs)
          const more = (await entriesOf(partnerId)) - atReturn
          if (more > 0) late.push(`I35: ${more} awards were committed after suspend ${cycle} had returned`)
          await resumePartner(operator, partnerId)
          scene.show(cycle / cycles)
        }
        await traffic.stop()
        return { figures: { suspensions: cycles }, violations: [...late, ...(await endNodes(nodes))] }
      },
    ),
})

/** An operator's connection, and one that counts a partner's entries without delay. */
async function openBeside({ stage, after }: Scene) {
  const { database } = readConfig(stage.environment)
  const store = await openStore(database)
  const raw = await openRaw(database)
  after(() => Promise.all([store.close(), raw.close()]))
  return {
    store: store.partners,
    async entriesOf(partnerId: string): Promise<number> {
      const [row] = await raw.rows(`SELECT count(*) AS n FROM entries WHERE partner_id = '${partnerId}'`)
      return Number(row!.n)
    },
  }
}
