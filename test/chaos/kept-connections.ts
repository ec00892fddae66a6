import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { systemClock } from '../../src/clock.ts'
import { type Answer, type Client, createClient } from '../support/client.ts'
import { oneOf, randomFrom } from '../support/seeded-random.ts'
import type { HistoryLog, Order } from './history-log.ts'
import type { PartnerKey } from './stage.ts'
import { anOrder, sendAward } from './traffic.ts'

type KeptConnections = {
  /** How many connections were opened so far. */
  opened(): number
  stop(): Promise<void>
}

const keptClients = 12
const freshClients = 3
/** Longer than a slow machine takes: what nobody answers waits forever. */
const answerMaxMs = 60_000
const againShare = 0.1

/**
 * Partners that follow HTTP exactly: most keep one connection each and use it until a response says `close`, some
 * open one for every request. They must not notice a restart.
 */
export function startKeptConnections(plan: {
  url: string
  partners: PartnerKey[]
  log: HistoryLog
  seed: number
}): KeptConnections {
  const { url, partners, log, seed } = plan
  const kept = Array.from({ length: keptClients }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  const agents = [...kept, ...Array<false>(freshClients).fill(false)]
  let opened = 0
  let stopped = false

  const clients = agents.map(async (agent, client) => {
    const random = randomFrom(seed + client)
    const partner = partners[client % partners.length]!
    const signer = createClient(url, partner, systemClock)
    const known: Order[] = []
    const award: Client['award'] = async (fields) => {
      const body = JSON.stringify(fields)
      const headers = { 'Content-Type': 'application/json', ...signer.headers(body) }
      const outgoing = request(`${url}/v1/ep/webhook`, { method: 'POST', headers, agent })
      outgoing.once('socket', (socket) => socket.connecting && opened++)
      outgoing.setTimeout(answerMaxMs, () => outgoing.destroy(new Error('not answered')))
      outgoing.end(body)
      const [response] = (await once(outgoing, 'response')) as [IncomingMessage]
      const answer = await text(response)
      return { status: response.statusCode!, body: JSON.parse(answer), text: answer } as Answer
    }
    for (let n = 1; !stopped; n++) {
      const again = random() < againShare && known.length > 0
      const order = again ? oneOf(random, known) : anOrder(random, partner, `${client}-${n}`)
      if ((await sendAward(log, { award }, order)) === 'ok') known.push(order)
    }
  })
  return {
    opened: () => opened,
    async stop() {
      stopped = true
      await Promise.all(clients)
      for (const agent of kept) agent.destroy()
    },
  }
}
