import { setTimeout as sleep } from 'node:timers/promises'
import { type Answer, createClient } from '../support/client.ts'
import { oneOf, randomFrom } from '../support/seeded-random.ts'
import type { HistoryLog, Order } from './history-log.ts'
import type { SettableClock } from './settable-clock.ts'
import type { PartnerKey } from './stage.ts'
import { anOrder, logAnswer } from './traffic.ts'

/** One attempt and its outcome. */
export type CapAnswer = {
  account: string
  kind: 'accepted' | 'refused' | 'other'
  /** Was this very order refused earlier, because of a cap? */
  refusedBefore: boolean
  /** When the counters start again, according to the response. */
  resetsAt: number | null
}

type CapSeekers = { stop(): Promise<void> }

const clientsEach = 3
const refusedPauseMs = 2
const keptMax = 20

/** Partners who send until a cap refuses them, and then the refused orders again and again beside new ones. */
export function startCapSeekers({
  nodes,
  partners,
  log,
  seed,
  onSend,
}: {
  nodes: { url: string; clock: SettableClock }[]
  partners: PartnerKey[]
  log: HistoryLog
  seed: number
  /** Called with each attempt; the function that it returns is called with the response. */
  onSend: () => (answer: CapAnswer) => void
}): CapSeekers {
  let stopped = false
  const accounts = partners.flatMap((partner) =>
    partner.tenants.map((tenant) => ({ ...partner, tenants: [tenant] })),
  )
  const seekers = accounts.flatMap((partner) => Array.from({ length: clientsEach }, () => partner))
  const loops = seekers.map(async (partner, seeker) => {
    const random = randomFrom(seed + seeker)
    const refused: Order[] = []
    for (let n = 1; !stopped; n++) {
      const again = random() < 0.5 ? refused.shift() : undefined
      const order = again ?? anOrder(random, partner, `${seeker}-${n}`)
      const { url, clock } = oneOf(random, nodes)
      const onAnswer = onSend()
      const { partnerId, ...fields } = order
      const attempt = log.invoke(order)
      const answer = await createClient(url, partner, clock)
        .award(fields)
        .catch((error: Error) => error)
      const outcome = logAnswer(log, attempt, answer)
      const isRefused = outcome === 'fail'
      onAnswer({
        account: `${partnerId}/${order.tenantId}`,
        kind: outcome === 'ok' ? 'accepted' : isRefused ? 'refused' : 'other',
        refusedBefore: again !== undefined,
        resetsAt: answer instanceof Error ? null : resetsAtOf(answer),
      })
      if (!isRefused) continue
      if (refused.length < keptMax) refused.push(order)
      await sleep(refusedPauseMs)
    }
  })
  return {
    async stop() {
      stopped = true
      await Promise.all(loops)
    },
  }
}

function resetsAtOf({ body, headers }: Answer): number | null {
  const text = body.resetsAt ?? headers.get('ep-day-resets-at')
  return text === null ? null : Date.parse(text)
}
