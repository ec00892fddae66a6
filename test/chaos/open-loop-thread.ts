import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'
import { eventually } from '../support/eventually.ts'
import type { LoadPlan, Sent, Stream, StreamLog } from './open-loop.ts'
import { openRawConnection, type RawConnection } from './raw-connection.ts'
import { type SignedOrders, signedOrders } from './signed-orders.ts'

/** The generator's thread: prepares everything, offers the load, and posts the outcomes. */
const { url, name, seconds, streams } = workerData as LoadPlan

const connectAtOnce = 100
const tickMs = 1
const drainMs = 15_000
const notAnswered = { waitMs: 0, inTime: false, status: 0, code: '', retryAfter: false, epTransactionId: '' }

let startedAt = Number.POSITIVE_INFINITY
let endsAt = Number.POSITIVE_INFINITY
const shelves = streams.map(shelfFor)
const sources = await Array.fromAsync(streams, (stream, index) => makeReady(stream, shelves[index]!))
parentPort!.postMessage('begin')
startedAt = performance.now()
endsAt = startedAt + seconds * 1000
while (performance.now() < endsAt) {
  for (const source of sources) source.offerDue()
  await sleep(tickMs)
}
parentPort!.postMessage(await Promise.all(sources.map((source) => source.finish())))

/** All are signed before the first connection is opened: one that is silent for long is closed. */
function shelfFor({ partner, perSecond, sentPerSecondMax }: Stream, index: number): SignedOrders {
  const ordersMax = seconds * Math.min(perSecond ?? sentPerSecondMax, sentPerSecondMax)
  return signedOrders(partner, `${name}-${index}`, Math.ceil(ordersMax))
}

async function makeReady({ perSecond, connections, pipelined = 1 }: Stream, orders: SignedOrders) {
  const log: StreamLog = { offered: 0, turnedAway: 0, unanswered: 0, sent: [] }
  const free: RawConnection[] = []
  const all: RawConnection[] = []
  let inFlight = 0

  function offer(dueAt: number): void {
    log.offered++
    let connection = free.shift()
    while (connection?.hasRoom() === false) connection = free.shift()
    const index = log.sent.length
    if (connection === undefined || index === orders.count) {
      log.turnedAway++
      return
    }
    const sentAt = performance.now()
    const sent: Sent = { order: orders.order(index), lagMs: sentAt - dueAt, ...notAnswered }
    log.sent.push(sent)
    inFlight++
    connection.send(orders.bytes(index), (answer) => {
      const answeredAt = performance.now()
      inFlight--
      Object.assign(sent, readAnswer(answer), { waitMs: answeredAt - sentAt, inTime: answeredAt <= endsAt })
    })
  }

  function offerDue(): void {
    const now = performance.now()
    if (perSecond === null) while (free.length > 0) offer(now)
    else {
      const due = Math.floor(((now - startedAt) / 1000) * perSecond)
      while (log.offered < due) offer(startedAt + (log.offered / perSecond) * 1000)
    }
  }

  function onFree(connection: RawConnection): void {
    free.push(connection)
    const now = performance.now()
    if (perSecond === null && now > startedAt && now < endsAt) offer(now)
  }

  async function finish(): Promise<StreamLog> {
    const answered = () => inFlight === 0
    await eventually('every request is answered', answered, { withinMs: drainMs }).catch(() => {})
    log.unanswered = inFlight
    for (const connection of all) connection.end()
    return log
  }

  while (all.length < connections) {
    const next = Math.min(connections, all.length + connectAtOnce)
    while (all.length < next) all.push(openRawConnection(url, { places: pipelined, onFree }))
    await eventually('the connections of the generator are open', () => free.length >= next * pipelined)
  }
  return { offerDue, finish }
}

function readAnswer(answer: string): Pick<Sent, 'status' | 'code' | 'retryAfter' | 'epTransactionId'> {
  const status = Number(answer.slice(9, 12))
  if (status === 202)
    return { status, code: '', retryAfter: false, epTransactionId: member(answer, 'epTransactionId') }
  return {
    status,
    code: member(answer, 'code'),
    retryAfter: /\r\nretry-after: [1-9]/.test(answer),
    epTransactionId: member(answer, 'epTransactionId'),
  }
}

function member(answer: string, name: string): string {
  const at = answer.indexOf(`"${name}":"`)
  return at === -1 ? '' : answer.slice(at + name.length + 4, answer.indexOf('"', at + name.length + 4))
}
