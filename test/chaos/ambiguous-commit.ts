import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../src/clock.ts'
import { type Client, createClient } from '../support/client.ts'
import { eventually } from '../support/eventually.ts'
import { integerBelow, oneOf } from '../support/seeded-random.ts'
import type { ServerProcess } from '../support/server-process.ts'
import { type Fault, startProxy } from '../support/tcp-proxy.ts'
import type { Order } from './history-log.ts'
import { outcomesOf } from './outcomes.ts'
import { play } from './play.ts'
import { scenario } from './scenario.ts'
import { endNodes } from './three-nodes.ts'
import { anOrder, sendAward } from './traffic.ts'

const sudden: Fault[] = [
  'is lost',
  'is half lost',
  'arrives, and the connection is gone',
  'is answered, and the answer is lost',
]
/** Each of these takes as long as an award, or its transaction, may wait: several seconds. */
const silent: Fault[] = ['arrives, and then all is silent', 'is lost, and then all is silent']
const silentOneIn = 50

/** Each lane has its own node, connection to the database and account. */
const lanes = ['t1', 't2', 't3']
const partners = [{ partnerId: 'acme', tenants: lanes }]
const ordersMax = 8
const pauseMs = 50

export const ambiguousCommit = scenario({
  what: 'the connection breaks around COMMIT, in every way; partners send again what is unknown: one entry each',
  defaults: { commits: 100 },
  run: ({ commits, seed }) =>
    play({ seed, database: 'postgres', partners, refusals: [] }, async (scene) => {
      const { startServer, stage, log, random, show, after } = scene
      const [acme] = stage.partners as [(typeof stage.partners)[0]]
      const neighbor = await startServer()
      const elsewhere = createClient(neighbor.url, acme, systemClock)
      /** For each broken COMMIT, the orders whose outcome the partner could not know. */
      const unknown: Order[][] = []
      let begun = 0
      let orderCount = 0

      async function breakCommits(tenantId: string): Promise<ServerProcess> {
        const proxy = await startProxy({ after }, stage.database.url)
        const node = await startServer({ DATABASE_URL: proxy.url })
        const here = createClient(node.url, acme, systemClock)
        while (begun < commits) {
          const fault = oneOf(random, ++begun % silentOneIn === 0 ? silent : sudden)
          let happened = false
          void proxy.next('COMMIT', fault).then(() => {
            happened = true
          })
          const lost: Order[] = []
          while (!happened) {
            const orders = Array.from({ length: 1 + integerBelow(random, ordersMax) }, () =>
              anOrder(random, { ...acme, tenants: [tenantId] }, `order-${++orderCount}`),
            )
            const outcomes = await Promise.all(orders.map((order) => sendAward(log, here, order)))
            lost.push(...orders.filter((_, index) => outcomes[index] === 'unknown'))
          }
          unknown.push(lost)
          await Promise.all(lost.map((order) => sendAgain(order, [here, elsewhere])))
          show(unknown.length / commits)
        }
        return node
      }

      /** Sends the same order until it is ok, to that node or to one that knows nothing of it. */
      async function sendAgain(order: Order, nodes: Client[]): Promise<void> {
        const isOk = async () => {
          if ((await sendAward(log, oneOf(random, nodes), order)) === 'ok') return true
          await sleep(pauseMs)
          return false
        }
        await eventually(`${order.orderId} is ok`, isOk, { withinMs: 60_000 })
      }

      const nodes = await Promise.all(lanes.map(breakCommits))
      const violations = await endNodes([neighbor, ...nodes])
      const outcomes = outcomesOf(log)
      const committed = unknown.filter((orders) =>
        orders.some(({ orderId }) => outcomes.get(orderId)!.accepted === 0),
      )
      const told = unknown.filter((orders) => orders.length === 0)
      return {
        figures: {
          'ambiguous commits': unknown.length,
          committed: committed.length,
          'not committed': unknown.length - committed.length - told.length,
          'certain at once': told.length,
        },
        violations,
      }
    }),
})
