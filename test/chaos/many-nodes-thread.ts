import { randomUUIDv7 } from 'node:crypto'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../../src/clock.ts'
import { Unavailable } from '../../src/ledger/errors.ts'
import type { Outcome } from '../../src/rules/decide-batch.ts'
import { servePostgres } from '../../src/stores/postgres/open.ts'
import { oneOf, randomFrom } from '../support/seeded-random.ts'
import type { Order } from './history-log.ts'
import type { NodesPlan } from './many-nodes.ts'
import type { Sent } from './open-loop.ts'

/** Some of the nodes: each a store with its group commit, and clients that send the next award after a response. */
const { url, name, stores, clients, seconds, partners, seed } = workerData as NodesPlan
const users = 20_000
const pauseMs = 200
const notAnswered = { waitMs: 0, inTime: false, status: 0, code: '', retryAfter: false, epTransactionId: '' }

const random = randomFrom(seed)
const opened = await Promise.all(
  Array.from({ length: stores }, () => servePostgres(url, { caps: {}, clock: systemClock, warn: () => {} })),
)
parentPort!.postMessage('ready')
await once(parentPort!, 'message')
const startedAt = performance.now()
const endsAt = startedAt + seconds * 1000
const sent: Sent[] = []
await Promise.all(opened.flatMap((_, store) => Array.from({ length: clients }, () => client(store))))
for (const store of opened) {
  await store.ledger.close()
  await store.close()
}
parentPort!.postMessage(sent)

async function client(store: number): Promise<void> {
  while (performance.now() < endsAt) {
    const { partnerId, tenants } = oneOf(random, partners)
    const order: Order = {
      partnerId,
      orderId: `${name}-${store}-${sent.length}`,
      tenantId: oneOf(random, tenants),
      userEmail: `user${Math.floor(random() * users)}@example.com`,
      amount: 1000,
    }
    const entry: Sent = { order, lagMs: 0, ...notAnswered }
    sent.push(entry)
    const sentAt = performance.now()
    const epTransactionId = randomUUIDv7()
    const command = { ...order, note: null, meta: null, epTransactionId, salt: Buffer.alloc(16, 1) }
    const answer = await opened[store]!.ledger.award(command).catch((error: Error) => error)
    const now = performance.now()
    Object.assign(entry, readAnswer(answer), { waitMs: now - sentAt, inTime: now <= endsAt })
    if (entry.status !== 202) await sleep(pauseMs)
  }
}

function readAnswer(answer: Outcome | Error): Partial<Sent> {
  if (answer instanceof Unavailable) return { status: 503, code: 'UNAVAILABLE', retryAfter: true }
  if (answer instanceof Error) return { status: 500, code: answer.message }
  if (answer.kind === 'rejected') return { status: 422, code: answer.rejection.code }
  return { status: answer.kind === 'credited' ? 202 : 200, epTransactionId: answer.epTransactionId }
}
