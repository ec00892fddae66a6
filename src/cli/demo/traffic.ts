import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../clock.ts'
import { count } from '../../terminal/safe-text.ts'
import type { SigningKey } from '../signed-headers.ts'
import { drawsFrom } from './draws.ts'
import type { DemoKeys } from './serve-with-past.ts'
import { type DemoPartnerId, demoPartners, users } from './partners.ts'
import type { Award } from './past.ts'
import { sendAward } from './send-award.ts'

const pauseMs = 1_000

type Totals = { credited: number; points: number; duplicates: number; refused: number }

/** Where the traffic goes, and where it is shown. */
type Demo = {
  url: string
  keys: DemoKeys
  show(line: string, totals: string): void
}

/** `flow` sends awards until the process ends; `totals` says what came of them so far. */
export function demoTraffic(demo: Demo): { flow(): Promise<never>; totals(): string } {
  const totals: Totals = { credited: 0, points: 0, duplicates: 0, refused: 0 }
  return { flow: () => keepTrafficFlowing(demo, totals), totals: () => totalsText(totals) }
}

/**
 * The three partners in turn. Mostly new awards, with an occasional replay, conflict, wrong signature and amount that is too
 * small. Initech, which the past left near its cap, soon reaches it.
 */
async function keepTrafficFlowing(demo: Demo, totals: Totals): Promise<never> {
  const draw = drawsFrom(1)
  for (let order = 1; ; order++) {
    const { partnerId, tenants } = demoPartners[order % demoPartners.length]!
    const award = {
      tenantId: tenants[order % tenants.length]!,
      orderId: `demo-${order}`,
      userEmail: users[draw(0, users.length - 1)]!,
      amount: partnerId === 'globex' ? draw(20_000, 90_000) : draw(2_000, 25_000),
    }
    const send = (changed: Partial<Award> = {}) =>
      sendAndShow(demo, partnerId, demo.keys.get(partnerId)!, { ...award, ...changed }, totals)
    await send()
    // Globex does not wait for the response.
    if (partnerId === 'globex' || order % 7 === 0) await send()
    if (order % 8 === 0) await send({ amount: award.amount + 1 })
    if (order % 9 === 0) await send({ orderId: `small-${order}`, amount: 999 })
    if (order % 40 === 0) {
      const key = { ...demo.keys.get(partnerId)!, signingSecret: 'an old one' }
      await sendAndShow(demo, partnerId, key, award, totals)
    }
    await sleep(pauseMs)
  }
}

async function sendAndShow(
  { url, show }: Demo,
  partnerId: DemoPartnerId,
  key: SigningKey,
  award: Award,
  totals: Totals,
): Promise<void> {
  try {
    const { status, code, points } = await sendAward(url, key, award, systemClock.now())
    if (status === 202) {
      totals.credited++
      totals.points += points
    } else if (status === 200) totals.duplicates++
    else totals.refused++
    const outcome = code ?? `COMPLETED, ${points} EP`
    const { orderId, amount } = award
    show(
      `${status}  ${orderId.padEnd(10)} ${partnerId.padEnd(7)} amount ${String(amount).padEnd(6)} ${outcome}`,
      `${totalsText(totals)}. Last: ${status} ${orderId} ${outcome}`,
    )
  } catch {
    // The service is stopping, and the process is about to exit.
  }
}

function totalsText({ credited, points, duplicates, refused }: Totals): string {
  return `${count(credited, 'award')} credited (${points} EP), ${count(duplicates, 'duplicate')}, ${refused} refused`
}
