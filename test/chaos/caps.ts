import { systemClock } from '../../src/clock.ts'
import { vietnamDay } from '../../src/rules/vietnam-day.ts'
import { createClient } from '../support/client.ts'
import { integerBelow, oneOf } from '../support/seeded-random.ts'
import type { Order } from './history-log.ts'
import { outcomesOf } from './outcomes.ts'
import { play } from './play.ts'
import { scenario } from './scenario.ts'
import { endNodes, startThreeNodes } from './three-nodes.ts'
import { sendAward } from './traffic.ts'

const atOnce = 64
const cap = 40
/** The most EP of an award: the 64 ask for more than fits, and can fill the cap to the last point. */
const pointsMax = 3

/** Sent at once; all of them count against one counter that was at zero. */
type Room = { orders: Order[]; overMidnight: boolean }

export const caps = scenario({
  what: 'a day cap, of a partner or of a user of two partners, filled by 64 awards at once over three nodes',
  defaults: { rounds: 50 },
  run: ({ rounds, seed }) =>
    play({ seed, database: 'postgres', partners: partnersFor(rounds) }, async (scene) => {
      const { log, random, show, stage } = scene
      const nodes = await startThreeNodes(scene, { CAP_PER_USER_DAY: String(cap) })
      const clients = new Map(
        stage.partners.map((partner) => [
          partner.partnerId,
          nodes.map(({ url }) => createClient(url, partner, systemClock)),
        ]),
      )
      const ordersOf = (round: number) =>
        Array.from({ length: atOnce }, (_, index): Order => {
          const amount = 1000 * (1 + integerBelow(random, pointsMax))
          const orderId = `${round}-${index}`
          // The counter is that of a new tenant, or of a new user.
          return round % 2 === 0
            ? {
                partnerId: 'full',
                tenantId: `t${round}`,
                userEmail: `user${index}@example.com`,
                orderId,
                amount,
              }
            : {
                partnerId: oneOf(random, ['left', 'right']),
                tenantId: 'both',
                userEmail: `user${round}@example.com`,
                orderId,
                amount,
              }
        })
      const rooms: Room[] = []
      for (let round = 0; round < rounds; round++) {
        const orders = ordersOf(round)
        const day = vietnamDay(Date.now())
        await Promise.all(
          orders.map((order, index) => sendAward(log, clients.get(order.partnerId)![index % 3]!, order)),
        )
        rooms.push({ orders, overMidnight: day !== vietnamDay(Date.now()) })
        show(round / rounds)
      }
      const violations = await endNodes(nodes)
      const outcomes = outcomesOf(log)
      let filled = 0
      for (const { orders } of rooms.filter(({ overMidnight }) => !overMidnight)) {
        const sum = pointsIn(orders.filter(({ orderId }) => outcomes.get(orderId)!.accepted === 1))
        const refused = orders.filter(({ orderId }) => outcomes.get(orderId)!.refused === 1)
        const lost = orders.filter(({ orderId }) => outcomes.get(orderId)!.unknown > 0)
        const [{ orderId }] = orders as [Order]
        const fits = refused.find((order) => sum + pointsIn([order]) <= cap)
        if (sum > cap) violations.push(`I13: overshoot: the round of ${orderId} credited ${sum} EP of ${cap}`)
        if (fits) violations.push(`I14: undershoot: ${fits.orderId} was refused at ${sum} EP of ${cap}`)
        if (lost.length > 0) violations.push(`the round of ${orderId} has ${lost.length} unknown`)
        if (sum === cap) filled++
      }
      return { figures: { rounds, 'at once': atOnce, 'filled exactly': filled }, violations }
    }),
})

function partnersFor(rounds: number) {
  const tenants = Array.from({ length: Math.ceil(rounds / 2) }, (_, room) => `t${2 * room}`)
  return [
    { partnerId: 'full', tenants, perPartnerDay: cap },
    { partnerId: 'left', tenants: ['both'] },
    { partnerId: 'right', tenants: ['both'] },
  ]
}

function pointsIn(orders: Order[]): number {
  return orders.reduce((sum, { amount }) => sum + amount / 1000, 0)
}
