import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../src/clock.ts'
import { type Answer, type Client, createClient } from '../support/client.ts'
import { integerBelow, oneOf, type Random, randomFrom } from '../support/seeded-random.ts'
import type { HistoryLog, Order } from './history-log.ts'
import type { PartnerKey } from './stage.ts'

export type Traffic = {
  /** Resolves when every request has got its response or was lost. */
  stop(): Promise<void>
}

export type TrafficPlan = {
  /** The servers that run now; none: the partners wait. */
  urls(): string[]
  partners: PartnerKey[]
  log: HistoryLog
  seed: number
  /** Each sends one request after the other. */
  clients?: number
  /** How long a partner waits after an unknown outcome. */
  pauseMs?: number
}

const noServerPauseMs = 5
const users = 20

/**
 * The usual traffic of partners: new orders, the same order again (because it was lost, or for no reason), at times
 * with another amount, and walks through the history. Everything goes into the log.
 */
export function startTraffic({ urls, partners, log, seed, clients = 12, pauseMs = 0 }: TrafficPlan): Traffic {
  let stopped = false
  const loops = Array.from({ length: clients }, (_, client) => {
    const random = randomFrom(seed + client)
    const partner = partners[client % partners.length]!
    const known: Order[] = []
    const lost: Order[] = []
    return (async () => {
      for (let n = 1; !stopped; n++) {
        const servers = urls()
        if (servers.length === 0) {
          await sleep(noServerPauseMs)
          continue
        }
        const partnerClient = createClient(oneOf(random, servers), partner, systemClock)
        const chance = random()
        if (chance < 0.01) await walk(log, partnerClient, partner.partnerId, oneOf(random, partner.tenants))
        else if (chance < 0.06 && known.length > 0) {
          await sendAward(log, partnerClient, oneOf(random, known), { changed: true })
        } else {
          const again =
            chance < 0.5 ? lost.shift() : chance < 0.6 && known.length > 0 ? oneOf(random, known) : null
          const order = again ?? anOrder(random, partner, `${client}-${n}`)
          const outcome = await sendAward(log, partnerClient, order)
          if (outcome === 'ok') known.push(order)
          if (outcome === 'unknown') {
            lost.push(order)
            await sleep(pauseMs)
          }
        }
      }
    })()
  })
  return {
    async stop() {
      stopped = true
      await Promise.all(loops)
    },
  }
}

export function anOrder(random: Random, { partnerId, tenants }: PartnerKey, orderId: string): Order {
  return {
    partnerId,
    orderId,
    tenantId: oneOf(random, tenants),
    userEmail: `user${integerBelow(random, users)}@example.com`,
    amount: 1000 + integerBelow(random, 5000),
  }
}

/** One attempt of an order, from its invocation to its end, in the log. */
export async function sendAward(
  log: HistoryLog,
  client: Pick<Client, 'award'>,
  order: Order,
  { changed = false } = {},
): Promise<'ok' | 'fail' | 'unknown'> {
  const { orderId, tenantId, userEmail, amount } = order
  const attempt = log.invoke(order, { changed })
  const answer = await client
    .award({ orderId, tenantId, userEmail, amount: changed ? amount + 1000 : amount })
    .catch((error: Error) => error)
  return logAnswer(log, attempt, answer)
}

export function logAnswer(
  log: HistoryLog,
  attempt: number,
  answer: Answer | Error,
): 'ok' | 'fail' | 'unknown' {
  if (answer instanceof Error) {
    log.append({ kind: 'unknown', attempt, why: String(answer.cause ?? answer.message) })
    return 'unknown'
  }
  const { status, body } = answer
  if (status === 200 || status === 202) {
    log.append({
      kind: 'ok',
      attempt,
      status,
      epTransactionId: body.epTransactionId,
      points: body.points,
    })
    return 'ok'
  }
  if (status >= 500) log.append({ kind: 'unknown', attempt, why: `${status} ${body?.detail}` })
  else log.append({ kind: 'fail', attempt, status, code: body?.code })
  return status >= 500 ? 'unknown' : 'fail'
}

/** All pages of an account's history, newest first. */
export async function walk(
  log: HistoryLog,
  client: Pick<Client, 'history'>,
  partnerId: string,
  tenantId: string,
  { pageItems = 100 } = {},
): Promise<void> {
  const walk = log.beginWalk(partnerId, tenantId)
  const epTransactionIds: string[] = []
  let cursor: string | null = null
  do {
    const from: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const query = `&limit=${pageItems}${from}`
    const answer: Answer | Error = await client.history(tenantId, query).catch((error: Error) => error)
    if (answer instanceof Error || answer.status !== 200) {
      log.append({ kind: 'walk-unknown', walk, why: answer instanceof Error ? answer.message : answer.text })
      return
    }
    for (const award of answer.body.items) epTransactionIds.push(award.epTransactionId)
    cursor = answer.body.nextCursor
  } while (cursor !== null)
  log.append({ kind: 'walked', walk, epTransactionIds })
}
