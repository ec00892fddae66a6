import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../clock.ts'
import { count } from '../terminal/safe-text.ts'
import { type SigningKey, signedHeaders } from './signed-headers.ts'

const pauseMs = 1_000

type Award = { tenantId: string; orderId: string; userEmail: string; amount: number }
type Totals = { credited: number; points: number; duplicates: number; refused: number }

/** Where the traffic goes, and where it is shown. */
type Demo = {
  url: string
  key: SigningKey
  tenantId: string
  show(line: string, totals: string): void
}

/** `flow` sends awards until the process ends; `totals` says what came of them so far. */
export function demoTraffic(demo: Demo): { flow(): Promise<never>; totals(): string } {
  const totals: Totals = { credited: 0, points: 0, duplicates: 0, refused: 0 }
  return { flow: () => keepTrafficFlowing(demo, totals), totals: () => totalsText(totals) }
}

/** Mostly new awards, with an occasional replay, conflict and amount that is too small. */
async function keepTrafficFlowing(demo: Demo, totals: Totals): Promise<never> {
  for (let order = 1; ; order++) {
    const award = {
      tenantId: demo.tenantId,
      orderId: `demo-${order}`,
      userEmail: `user${order % 7}@example.com`,
      amount: 1000 + order * 137,
    }
    await send(demo, award, totals)
    if (order % 4 === 0) await send(demo, award, totals)
    if (order % 6 === 0) await send(demo, { ...award, amount: award.amount + 1 }, totals)
    if (order % 9 === 0) await send(demo, { ...award, orderId: `small-${order}`, amount: 999 }, totals)
    await sleep(pauseMs)
  }
}

async function send({ url, key, show }: Demo, award: Award, totals: Totals): Promise<void> {
  const body = JSON.stringify(award)
  const headers = signedHeaders(key, String(systemClock.now()), body)
  try {
    const response = await fetch(`${url}/v1/ep/webhook`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body,
    })
    const { code, points = 0 } = (await response.json()) as { code?: string; points?: number }
    if (response.status === 202) {
      totals.credited++
      totals.points += points
    } else if (response.status === 200) totals.duplicates++
    else totals.refused++
    const outcome = code ?? `COMPLETED, ${points} EP`
    const { orderId, amount } = award
    show(
      `${response.status}  ${orderId.padEnd(10)} amount ${String(amount).padEnd(6)} ${outcome}`,
      `${totalsText(totals)}. Last: ${response.status} ${orderId} ${outcome}`,
    )
  } catch {
    // The service is stopping, and the process is about to exit.
  }
}

function totalsText({ credited, points, duplicates, refused }: Totals): string {
  return `${count(credited, 'award')} credited (${points} EP), ${count(duplicates, 'duplicate')}, ${refused} refused`
}
