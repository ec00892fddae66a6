import { setTimeout as sleep } from 'node:timers/promises'
import { systemClock } from '../../src/clock.ts'
import { readConfig } from '../../src/config.ts'
import { createClient } from '../support/client.ts'
import { randomFrom } from '../support/seeded-random.ts'
import { always, readJournal } from '../support/service-journal.ts'
import { play, type Scene } from './play.ts'
import { scenario } from './scenario.ts'
import { anOrder, sendAward } from './traffic.ts'

/** As few as these, because a response that was counted but did not arrive hides one that was lost. */
const clients = 4
/** Longer than a second, so that there is something that must not be lost. */
const loadMinMs = 1_200
const loadMaxMs = 2_400

/** On a busy machine, `--lost-max-ms` has to be higher: the timer that writes the journal is then late. */
export const journalKill = scenario({
  what: 'kill -9 under load: the journal loses at most the last second',
  defaults: { cycles: 20, postgres: 0, 'lost-max-ms': 1_000 },
  run: ({ cycles, postgres, seed, 'lost-max-ms': lostMaxMs }) =>
    play({ seed, database: postgres === 1 ? 'postgres' : 'sqlite' }, async (scene) => {
      const violations: string[] = []
      let responses = 0
      let lost = 0
      let longestMs = 0
      for (let cycle = 0; cycle < cycles; cycle++) {
        const before = await countedIn(scene)
        const { answeredAt, killedAt } = await loadThenKill(scene, seed + cycle * clients)
        const counted = (await countedIn(scene)) - before
        // Responses are counted in their order, so that those that are missing are the last ones.
        const oldest = answeredAt[counted]
        const lostMs = oldest === undefined ? 0 : Math.round(killedAt - oldest)
        if (lostMs > lostMaxMs)
          violations.push(`kill ${cycle}: the journal has lost what was answered ${lostMs} ms before`)
        responses += answeredAt.length
        lost += Math.max(0, answeredAt.length - counted)
        longestMs = Math.max(longestMs, lostMs)
        scene.show(cycle / cycles)
      }
      const figures = { kills: cycles, responses, 'not in the journal': lost, 'longest loss, ms': longestMs }
      return { figures, violations }
    }),
})

async function countedIn({ stage }: Scene): Promise<number> {
  const config = readConfig(stage.environment)
  const [sum] = await readJournal({ config }, (journal) => journal.counts({ span: 'day', ...always, by: [] }))
  return sum?.responses ?? 0
}

/** When each response arrived, and when the server was killed. */
async function loadThenKill(
  { startServer, stage, log, random }: Scene,
  seed: number,
): Promise<{ answeredAt: number[]; killedAt: number }> {
  const server = await startServer()
  const answeredAt: number[] = []
  let killedAt: number | null = null
  const loops = Array.from({ length: clients }, async (_, client) => {
    const random = randomFrom(seed + client)
    const partner = stage.partners[client % stage.partners.length]!
    const partnerClient = createClient(server.url, partner, systemClock)
    for (let order = 1; killedAt === null; order++) {
      const outcome = await sendAward(
        log,
        partnerClient,
        anOrder(random, partner, `${seed}-${client}-${order}`),
      )
      if (outcome !== 'unknown') answeredAt.push(performance.now())
    }
  })
  await sleep(loadMinMs + random() * (loadMaxMs - loadMinMs))
  killedAt = performance.now()
  await server.end('SIGKILL')
  await Promise.all(loops)
  return { answeredAt, killedAt }
}
