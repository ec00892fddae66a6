import { statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { systemClock } from '../../src/clock.ts'
import { createClient, send } from '../support/client.ts'
import { runProcess } from '../support/command-line.ts'
import { eventually } from '../support/eventually.ts'
import { holdSnapshot } from './held-snapshot.ts'
import { figuresOf, logLoad, offerLoad } from './open-loop.ts'
import { play, type Scene } from './play.ts'
import { scenario } from './scenario.ts'
import { anOrder, sendAward } from './traffic.ts'

const windowSeconds = 10
const sentPerSecondMax = 15_000
const watchMs = 20
const healsWithinMs = 30_000

/**
 * Awards on `--connections` connections, first alone; then for `--seconds` while the ledger is read without a pause: by
 * `verify` again and again, or (`--held 1`) by another program that holds one snapshot all that time. What counts
 * is the last window, because what readers keep from being cleaned up accumulates. With a held snapshot, SQLite's log may
 * reach its limit, and awards are refused until the reader ends; then they must succeed again. The limits are off
 * (0) unless given.
 */
export const longReaders = scenario({
  what: 'the whole ledger is read again and again while awards are made',
  defaults: {
    seconds: 60,
    postgres: 0,
    held: 0,
    partners: 5,
    connections: 64,
    'awards-min-percent': 0,
    'log-max-mb': 0,
  },
  run: ({ seconds, postgres, held, partners, connections, seed, ...bounds }) =>
    play(
      { seed, database: postgres === 1 ? 'postgres' : 'sqlite', partners: namesOf(partners) },
      async (scene) => {
        const { url } = await scene.startServer()
        const windows = Math.max(1, Math.round(seconds / windowSeconds))
        const load = offering(scene, { url, connections, seconds: seconds / windows })
        await load('warm-up')
        const before = await load('before')

        const file = scene.stage.database.url.replace('sqlite:', '')
        const log = postgres === 1 ? null : watchSize(`${file}-wal`)
        const reading = held === 1 ? await holdSnapshot(scene.stage.database.url) : verifyAgain(scene)
        const rates: number[] = []
        for (let window = 1; window <= windows; window++) {
          rates.push(await load(`window-${window}`))
          scene.show(window / windows)
        }
        const { readsDone, violations } = await reading.end()
        const beganAt = performance.now()
        await eventually('an award is accepted', () => isAccepted(scene, url), { withinMs: healsWithinMs })
        const healedMs = Math.round(performance.now() - beganAt)
        await eventually('/readyz is 200', async () => (await send(`${url}/readyz`)).status === 200)
        const afterwards = await load('afterwards')

        const percent = Math.round((100 * rates.at(-1)!) / before)
        const logMb = log?.end() ?? 0
        if (percent < bounds['awards-min-percent'])
          violations.push(
            `awards are ${percent} % of what they were: ${rates.join(' ')} of ${before} a second`,
          )
        if (bounds['log-max-mb'] > 0 && logMb > bounds['log-max-mb'])
          violations.push(`I25: the log had ${logMb} MB, more than ${bounds['log-max-mb']}`)
        return {
          figures: {
            'awards/s before': before,
            'awards/s while it is read, window by window': rates.join(' '),
            'in the last, % of before': percent,
            'awards/s afterwards': afterwards,
            'reads of all of it': readsDone,
            'log at its longest, MB': logMb,
            'accepted again after the reads, ms': healedMs,
          },
          violations: [...violations, ...load.violations],
        }
      },
    ),
})

const namesOf = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ partnerId: `partner-${n + 1}` }))

/** Returns a function that offers one window of load and returns its awards per second. */
function offering(
  { stage, log }: Scene,
  { url, connections, seconds }: { url: string; connections: number; seconds: number },
) {
  const share = (of: number) => Math.ceil(of / stage.partners.length)
  const violations: string[] = []
  async function load(name: string): Promise<number> {
    const logs = await offerLoad({
      url,
      name,
      seconds,
      streams: stage.partners.map((partner) => ({
        partner,
        perSecond: null,
        connections: share(connections),
        sentPerSecondMax: share(sentPerSecondMax),
      })),
    })
    violations.push(...logLoad(log, logs))
    return figuresOf(logs, seconds).goodput
  }
  return Object.assign(load, { violations })
}

type Reading = { end(): Promise<{ readsDone: number; violations: string[] }> }

/** As an operator's timer does, but without a pause. */
function verifyAgain({ stage }: Scene): Reading {
  const violations: string[] = []
  let readsDone = 0
  let ended = false
  const reading = (async () => {
    while (!ended) {
      const { code, stderr } = await runProcess(['verify'], { cwd: tmpdir(), environment: stage.environment })
      if (code === 0) readsDone++
      else violations.push(`verify ended with ${code}: ${stderr}`)
    }
  })()
  return {
    async end() {
      ended = true
      await reading
      return { readsDone, violations }
    },
  }
}

async function isAccepted({ stage, log, random }: Scene, url: string): Promise<boolean> {
  const partner = stage.partners[0]!
  const order = anOrder(random, partner, `afterwards-${log.events.length}`)
  return (await sendAward(log, createClient(url, partner, systemClock), order)) === 'ok'
}

/** The largest size that a file had. */
function watchSize(path: string): { end(): number } {
  let mostMb = 0
  const look = () => {
    mostMb = Math.max(mostMb, Math.round((statSync(path, { throwIfNoEntry: false })?.size ?? 0) / 1e6))
  }
  const timer = setInterval(look, watchMs)
  return {
    end() {
      clearInterval(timer)
      look()
      return mostMb
    },
  }
}
