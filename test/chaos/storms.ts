import { systemClock } from '../../src/clock.ts'
import { createClient } from '../support/client.ts'
import { integerBelow } from '../support/seeded-random.ts'
import { tenantsOf } from './many-tenants.ts'
import { outcomesOf } from './outcomes.ts'
import { play } from './play.ts'
import { scenario } from './scenario.ts'
import { endNodes, startThreeNodes } from './three-nodes.ts'
import { anOrder, sendAward } from './traffic.ts'

const copies = 16
/** Storms hit accounts that have no award yet, and accounts that have many. */
const partners = [{ partnerId: 'acme', tenants: tenantsOf(100) }]

export const storms = scenario({
  what: 'one order in 16 copies at once over three nodes: one 202, fifteen DUPLICATE, one id, one entry',
  defaults: { storms: 100 },
  run: ({ storms, seed }) =>
    play({ seed, database: 'postgres', partners, refusals: [] }, async (scene) => {
      const { log, random, show, stage } = scene
      const nodes = await startThreeNodes(scene)
      const [acme] = stage.partners as [(typeof stage.partners)[0]]
      const clients = nodes.map(({ url }) => createClient(url, acme, systemClock))
      for (let storm = 0; storm < storms; storm++) {
        const order = anOrder(random, acme, `storm-${storm}`)
        const first = integerBelow(random, clients.length)
        await Promise.all(
          Array.from({ length: copies }, (_, copy) =>
            sendAward(log, clients[(first + copy) % clients.length]!, order),
          ),
        )
        show(storm / storms)
      }
      const violations = await endNodes(nodes)
      for (const [orderId, { accepted, duplicate, refused, unknown }] of outcomesOf(log)) {
        if (accepted === 1 && duplicate === copies - 1) continue
        violations.push(
          `I3: ${orderId}: ${accepted} were 202, ${duplicate} DUPLICATE, ${refused} refused, ${unknown} unknown`,
        )
      }
      return { figures: { storms, copies }, violations }
    }),
})
