import { setTimeout as sleep } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import { type CapAnswer, startCapSeekers } from './cap-seekers.ts'
import { checkDays, dayMs, midnightAfter } from './day-ledger.ts'
import { play, type Scene } from './play.ts'
import { scenario } from './scenario.ts'
import { makeSettableClock } from './settable-clock.ts'

/** The first reaches its users' caps, the second its own. */
const partners = [
  { partnerId: 'acme', tenants: ['t1', 't2'], perPartnerDay: 400 },
  { partnerId: 'globex', tenants: ['t1'], perPartnerDay: 60 },
]
const perUserDay = 12
const accounts = ['acme/t1', 'acme/t2', 'globex/t1']
const beforeMidnightMs = 60_000
const crossingMaxMs = 300
const backMaxMs = 3_600_000
const skewMaxMs = 100
/** Refused orders of an account before its caps count as full. They are sent again after midnight. */
const refusalsMin = 10

export const midnight = scenario({
  what: 'the clocks of the servers cross Vietnam midnight under load, jump back, and go on (--nodes 3: PostgreSQL)',
  defaults: { rounds: 5, nodes: 1 },
  run: ({ rounds, nodes, seed }) =>
    play({ seed, partners, database: nodes === 1 ? 'sqlite' : 'postgres' }, (scene) =>
      crossMidnights(scene, { rounds, nodes, seed }),
    ),
})

async function crossMidnights(
  scene: Scene,
  { rounds, nodes: count, seed }: { rounds: number; nodes: number; seed: number },
) {
  const { stage, startServer, log, random, show, after } = scene
  const violations: string[] = []
  let midnight = midnightAfter(Date.now())
  const nodes = await Array.fromAsync({ length: count }, async () => {
    const clock = makeSettableClock(midnight - beforeMidnightMs)
    after(() => clock.remove())
    const server = await startServer({
      ...clock.environment,
      CAP_PER_USER_DAY: String(perUserDay),
      CLOCK_WINDOW_MS: String(dayMs), // what is on the way while a clock is set is not refused for its timestamp
    })
    return { server, url: server.url, clock, skewMs: Math.round(random() * skewMaxMs) }
  })
  const setClocks = (ms: number) =>
    Promise.all(nodes.map(({ clock, url, skewMs }) => clock.set(ms + skewMs, url)))

  /** The midnights that a response may name at this moment. */
  let possible = [midnight]
  let answers: CapAnswer[] = []
  let checked = 0
  const onSend = () => {
    const possibleThen = possible
    return (answer: CapAnswer) => {
      answers.push(answer)
      if (answer.resetsAt === null) return
      checked++
      if (![...possibleThen, ...possible].includes(answer.resetsAt))
        violations.push(
          `I15: ${answer.account} was told ${new Date(answer.resetsAt).toISOString()} as its midnight`,
        )
    }
  }
  const everyAccount = (atLeast: number, holds: (answer: CapAnswer) => boolean) =>
    accounts.every(
      (account) => answers.filter((answer) => answer.account === account && holds(answer)).length >= atLeast,
    )
  const seekers = startCapSeekers({ nodes, partners: stage.partners, log, seed, onSend })
  let creditedAfterRefusal = 0

  async function round(): Promise<void> {
    answers = []
    const isRefused = ({ kind }: CapAnswer) => kind === 'refused'
    await eventually('every cap is full', () => everyAccount(refusalsMin, isRefused))
    possible = [midnight, midnight + dayMs]
    await setClocks(midnight - random() * crossingMaxMs - skewMaxMs)
    const isFresh = ({ kind, refusedBefore, resetsAt }: CapAnswer) =>
      kind === 'accepted' && refusedBefore && resetsAt === midnight + dayMs
    await eventually('what was refused is credited after midnight', () => everyAccount(1, isFresh))
    creditedAfterRefusal += answers.filter(isFresh).length
    // Every account has an award of the new day now: from here on no clock can bring the old one back.
    possible = [midnight + dayMs]
    await setClocks(midnight - random() * backMaxMs)
    await sleep(random() * crossingMaxMs)
    await setClocks(midnight + beforeMidnightMs)
    midnight += dayMs
    await setClocks(midnight - beforeMidnightMs)
  }

  try {
    for (let done = 0; done < rounds; done++) {
      await round()
      show(done / rounds)
    }
  } catch (error) {
    violations.push(`I15: ${(error as Error).message}`)
  }
  await seekers.stop()
  await Promise.all(nodes.map(({ server }) => server.end('SIGTERM')))
  const { entries } = await stage.atTheEnd()
  const perPartnerDay = (id: string) => partners.find(({ partnerId }) => partnerId === id)!.perPartnerDay
  violations.push(...checkDays(entries, { perPartnerDay, perUserDay }))
  return {
    figures: {
      midnights: rounds,
      nodes: count,
      'midnights named': checked,
      'refused, then credited': creditedAfterRefusal,
    },
    violations,
  }
}
