import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { openRawConnection, type RawConnection } from '../../test/chaos/raw-connection.ts'
import { eventually } from '../../test/support/eventually.ts'
import { answerCheck } from './answer-check.ts'
import { Latencies } from './latencies.ts'
import type { RunPlan, RunResult } from './plan.ts'
import type { Shelf } from './shelf.ts'

const tickMs = 1
const drainMs = 20_000
const wrongsShownMax = 5

type Place = { connection: RawConnection; index: number; since: number; onAnswer(answer: string): void }

/**
 * One run: as many connections as the plan says, one request at a time on each. It ends when its seconds have passed
 * or its shelf is empty, and every request has its response. In an open loop a request that finds no free connection
 * waits for one, and its wait counts: it is measured from when it was due.
 */
export async function offer(plan: RunPlan, shelf: Shelf): Promise<RunResult> {
  const { url, expected, connections, seconds, perSecond, again, orders = shelf.count } = plan
  const check = answerCheck(expected, shelf)
  const latencies = new Latencies()
  const lags = new Latencies()
  const free: Place[] = []
  const wrongs: string[] = []
  const shelfMax = again ? Number.POSITIVE_INFINITY : orders
  const dueMax = perSecond === null ? Number.POSITIVE_INFINITY : Math.ceil(perSecond * seconds)
  const countMax = Math.min(shelfMax, dueMax)
  if (perSecond !== null && shelfMax < dueMax) throw new Error(`only ${shelfMax} of ${dueMax} were signed`)
  let sent = 0
  let answered = 0
  let answeredInTime = 0
  let wrong = 0
  let lastAnswerAt = 0
  let startedAt = Number.POSITIVE_INFINITY
  let endsAt = Number.POSITIVE_INFINITY

  const dueAt = (index: number) => startedAt + (index * 1000) / perSecond!

  function send(place: Place, now: number): void {
    place.index = again ? sent % orders : sent
    place.since = perSecond === null ? now : dueAt(sent)
    if (perSecond !== null) lags.add(now - place.since)
    sent++
    place.connection.send(shelf.request(place.index), place.onAnswer)
  }

  /** What was due is sent, however late: leaving it out would hide how long it waited. */
  function isDue(now: number): boolean {
    if (sent >= countMax) return false
    return perSecond === null ? now >= startedAt && now < endsAt : dueAt(sent) <= now
  }

  function isOver(): boolean {
    return answered === sent && (perSecond === null || sent === countMax)
  }

  function openPlace(): void {
    const onFree = () => {
      const now = performance.now()
      if (isDue(now)) send(place, now)
      else free.push(place)
    }
    const place: Place = {
      connection: openRawConnection(url, { places: 1, onFree }),
      index: 0,
      since: 0,
      onAnswer(answer) {
        const now = performance.now()
        answered++
        if (now <= endsAt) answeredInTime++
        lastAnswerAt = now
        latencies.add(now - place.since)
        const fault = check(place.index, answer)
        if (fault !== null && ++wrong <= wrongsShownMax) wrongs.push(fault)
      },
    }
    places.push(place)
  }

  const places: Place[] = []
  for (let count = 0; count < connections; count++) openPlace()
  await eventually('the connections of the generator are open', () => free.length === connections)

  const cpuBefore = process.cpuUsage()
  const loopBefore = performance.eventLoopUtilization()
  startedAt = performance.now()
  endsAt = startedAt + seconds * 1000
  for (let now = startedAt; now < endsAt && sent < countMax; now = performance.now()) {
    while (free.length > 0 && isDue(now)) send(free.pop()!, now)
    await sleep(perSecond === null ? 10 : tickMs)
  }
  await eventually('every request is answered', isOver, { withinMs: drainMs }).catch(() => {})
  const { user, system } = process.cpuUsage(cpuBefore)
  const { utilization } = performance.eventLoopUtilization(loopBefore)
  const wallMs = performance.now() - startedAt
  for (const { connection } of places) connection.end()
  if (!isOver()) {
    const missing = (perSecond === null ? sent : countMax) - answered
    wrong += missing
    wrongs.push(`${missing} requests were never answered`)
  }

  const ranOut = sent === countMax && lastAnswerAt < endsAt
  const took = (ranOut ? lastAnswerAt - startedAt : endsAt - startedAt) / 1000
  const [p50Ms = 0, p99Ms = 0, p999Ms = 0] = latencies.quantiles(0.5, 0.99, 0.999)
  const [lagP99Ms = 0] = lags.quantiles(0.99)
  return {
    answered,
    seconds: took,
    perSecond: Math.round((ranOut ? answered : answeredInTime) / took),
    p50Ms,
    p99Ms,
    p999Ms,
    lagP99Ms,
    wrong,
    wrongs,
    generatorCpu: share((user + system) / 1000, wallMs),
    generatorLoop: Math.round(utilization * 100) / 100,
  }
}

function share(ms: number, of: number): number {
  return Math.round((ms / of) * 100) / 100
}
