import assert from 'node:assert/strict'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { json } from 'node:stream/consumers'
import { systemClock } from '../../src/clock.ts'
import { anAwardBody, createClient } from './client.ts'

export type Key = { apiKey: string; signingSecret: string }

/** Longer than a slow machine takes; a request that nobody will answer waits forever. */
export const patienceMs = 60_000

/**
 * So long a request waits for its body. Every client has a request in flight nearly all the time, and the load takes little
 * of the processor that the workers need to start.
 */
const inFlightMs = 150

/**
 * Clients that send one order after the other: most keep their connection until a response says `close`, some open one
 * for each request. What a slow machine could not decide in time is sent again, as a partner would. Every other order
 * that was not credited is lost.
 */
export function startLoad(url: string, key: Key, name: string) {
  const answered = new Set<string>()
  const lost: string[] = []
  const kept = Array.from({ length: 16 }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  let opened = 0
  let stopping = false
  async function sendOrder(orderId: string, agent: Agent | false) {
    const { outgoing, body } = awardRequest(url, key, orderId, agent)
    outgoing.once('socket', (socket) => socket.connecting && opened++)
    outgoing.setTimeout(patienceMs, () => outgoing.destroy(new Error('timed out')))
    const responded = once(outgoing, 'response')
    outgoing.flushHeaders()
    setTimeout(() => outgoing.end(body), inFlightMs)
    const [response] = (await responded) as [IncomingMessage]
    const { detail = '' } = (await json(response)) as { detail?: string }
    return { status: response.statusCode, detail }
  }
  const clients = [...kept, false as const, false as const, false as const].map(async (agent, client) => {
    for (let order = 1; !stopping; order++) {
      const orderId = `${name}-${client}-${order}`
      try {
        let { status, detail } = await sendOrder(orderId, agent)
        const statuses = [status]
        while (isTooSlow(status, detail)) {
          ;({ status, detail } = await sendOrder(orderId, agent))
          statuses.push(status)
        }
        assert.ok(status === 202 || (status === 200 && statuses.length > 1), `${statuses}: ${detail}`)
        answered.add(orderId)
      } catch (error) {
        lost.push(`${orderId}: ${(error as Error).message}`)
      }
    }
  })
  return {
    answered,
    lost,
    clients: clients.length,
    connections: () => opened,
    async stop() {
      stopping = true
      await Promise.all(clients)
      for (const agent of kept) agent.destroy()
    },
  }
}

/** A worker that sends partners away because it ends is another matter. */
function isTooSlow(status: number | undefined, detail: string): boolean {
  return status === 503 && !detail.includes('shutting down')
}

export function awardRequest(url: string, key: Key, orderId: string, agent: Agent | false) {
  const tenantId = orderId.endsWith('1') ? 't2' : 't1'
  const body = JSON.stringify(anAwardBody({ tenantId, orderId, amount: 1000 }))
  const signed = createClient(url, key, systemClock).headers(body)
  const headers = { 'Content-Type': 'application/json', 'Content-Length': body.length, ...signed }
  return { outgoing: request(`${url}/v1/ep/webhook`, { method: 'POST', headers, agent }), body }
}
