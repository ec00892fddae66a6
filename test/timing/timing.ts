import { authenticate } from '../../src/access/authenticate.ts'
import { progressBar } from '../../src/cli/progress.ts'
import { longRun } from '../support/long-run.ts'
import { randomFrom } from '../support/seeded-random.ts'
import { aNoon } from '../support/test-clock.ts'
import { type Attempts, type Kind, payload } from './attempts.ts'
import { type Authenticate, measure, type Times } from './measure.ts'
import { measureOverSocket } from './over-socket.ts'
import { plantedLeaks } from './planted-leaks.ts'
import { type Comparison, compare, isToldApart } from './compare.ts'

const windowMs = 300_000
const staleMs = windowMs + 1_000

const places = ['', 'over a socket: ', 'stale timestamp: ', 'stale timestamp over a socket: '] as const

/** The same kind twice. If they are told apart, the machine is too busy to say anything about the others. */
const control: [Kind, Kind] = ['control', 'unknown']

/** Kinds of refusals that must take the same time. */
const pairs: [Kind, Kind][] = [
  ['known', 'unknown'],
  ['revoked', 'unknown'],
  ['expired', 'unknown'],
  ['almost', 'known'],
]

/**
 * Does the time of a refusal tell whether a key exists, or how much of a signature was right? And that of a stale timestamp,
 * which is refused before the signature is looked at? Measured in the process, where a nanosecond counts that no network
 * would carry, and over a socket. Implementations with planted leaks are measured in the same way: a leak that is not seen
 * is a violation too.
 */
await longRun('timing', { pairs: 1_000_000, 'socket-pairs': 20_000 }, async (options) => {
  const random = randomFrom(options.seed)
  const bar = progressBar('timing')
  const onRound = (round: number) => bar.show(Math.max(0, round) / options.pairs)
  const inProcess = await measure(ours, { rounds: options.pairs, random, onRound })
  const stale = await measure(ours, { rounds: options.pairs, random, onRound, ageMs: staleMs })
  bar.end()
  await using cleanup = new AsyncDisposableStack()
  const lifetime = { after: (release: () => Promise<void> | void) => cleanup.defer(release) }
  const overSocket = await measureOverSocket(lifetime, { rounds: options['socket-pairs'], random })
  const staleOverSocket = await measureOverSocket(lifetime, {
    rounds: options['socket-pairs'],
    random,
    ageMs: staleMs,
  })
  const compared = [
    ...comparisons(places[0], inProcess),
    ...comparisons(places[1], overSocket),
    ...comparisons(places[2], stale),
    ...comparisons(places[3], staleOverSocket),
  ]

  const controls = [inProcess, overSocket, stale, staleOverSocket].map((times, index) => ({
    name: `${places[index]}control: unknown, unknown`,
    ...compare(times[control[0]], times[control[1]]),
  }))

  const leaks: (Comparison & { name: string })[] = []
  for (const { name, tells, open } of plantedLeaks) {
    const times = await measure(open, { rounds: Math.ceil(options.pairs / 10), random })
    leaks.push({ name: `planted: ${name}`, ...compare(times[tells[0]], times[tells[1]]) })
  }
  return {
    figures: Object.fromEntries([...controls, ...compared, ...leaks].map((one) => [one.name, inWords(one)])),
    violations: [
      ...controls
        .filter(isToldApart)
        .map((one) => `nothing can be said: the same kind differs from itself, ${one.name}: ${inWords(one)}`),
      ...compared.filter(isToldApart).map((one) => `${one.name} can be told apart: ${inWords(one)}`),
      ...leaks.filter((one) => !isToldApart(one)).map((one) => `${one.name} was not seen: ${inWords(one)}`),
    ],
  }
})

function ours({ keys }: Attempts): Authenticate {
  return (headers) => authenticate(headers, payload, { keys, now: aNoon, windowMs }).ok
}

function comparisons(where: string, times: Times): (Comparison & { name: string })[] {
  return pairs.map(([a, b]) => ({ name: `${where}${a}, ${b}`, ...compare(times[a], times[b]) }))
}

function inWords({ count, ts, means: [a, b] }: Comparison): string {
  const [half, nineTenths, most, all] = ts.map((t) => t.toFixed(1))
  const [pairs, left, right] = [count, a, b].map((number) => Math.round(number).toLocaleString('en'))
  const t = `t ${all}; without the slowest 1 % ${most}, 10 % ${nineTenths}, 50 % ${half}`
  return `${t}; ${left} and ${right} ns; ${pairs} pairs`
}
