import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../src/clock.ts'
import { createClient } from '../support/client.ts'
import { oneOf, randomFrom } from '../support/seeded-random.ts'
import { tenantsOf } from './many-tenants.ts'
import { play } from './play.ts'
import { scenario } from './scenario.ts'
import { endNodes, startThreeNodes } from './three-nodes.ts'
import { anOrder, sendAward, walk } from './traffic.ts'

const writers = 8
const walkers = 3
/** All partners use one account, so that awards appear while it is walked; then all move to the next. */
const walksOfAnAccount = 12
/** A walk needs several pages. */
const itemsMin = 50
const pageItems = 10

export const walks = scenario({
  what: 'walks through the history, page by page from node to node, while awards are made',
  defaults: { walks: 100 },
  run: ({ walks, seed }) => {
    const tenants = tenantsOf(Math.ceil(walks / walksOfAnAccount))
    const partners = [{ partnerId: 'acme', tenants }]
    return play({ seed, database: 'postgres', partners, refusals: [] }, async (scene) => {
      const { log, show, stage } = scene
      const nodes = await startThreeNodes(scene)
      const [acme] = stage.partners as [(typeof stage.partners)[0]]
      const urls = nodes.map(({ url }) => url)
      let begun = 0
      const tenantOf = (walk: number) => tenants[Math.floor(walk / walksOfAnAccount)]!
      const written = new Map(tenants.map((tenantId) => [tenantId, 0]))

      const writing = Array.from({ length: writers }, async (_, writer) => {
        const random = randomFrom(seed + writer)
        for (let n = 1; begun < walks; n++) {
          const order = anOrder(random, { ...acme, tenants: [tenantOf(begun)] }, `${writer}-${n}`)
          await sendAward(log, createClient(oneOf(random, urls), acme, systemClock), order)
          written.set(order.tenantId, written.get(order.tenantId)! + 1)
        }
      })
      const walking = Array.from({ length: walkers }, async () => {
        while (begun < walks) {
          const tenantId = tenantOf(begun)
          if (written.get(tenantId)! < itemsMin) {
            await sleep(2)
            continue
          }
          begun++
          // Every page comes from the next node.
          await walk(log, createClient(urls, acme, systemClock), acme.partnerId, tenantId, { pageItems })
          show(begun / walks)
        }
      })
      await Promise.all([...writing, ...walking])
      const violations = await endNodes(nodes)
      const walked = log.events.filter((event) => event.kind === 'walked')
      const items = walked.reduce((sum, { epTransactionIds }) => sum + epTransactionIds.length, 0)
      for (const event of log.events) {
        if (event.kind === 'walk-unknown') violations.push(`a walk ended with ${event.why}`)
        if (event.kind === 'unknown') violations.push(`an award ended with ${event.why}`)
      }
      return { figures: { items }, violations }
    })
  },
})
