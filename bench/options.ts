import { parseArgs } from 'node:util'
import { aSeed } from '../test/support/seeded-random.ts'

const partNames = [
  'award',
  'latency',
  'history',
  'growth',
  'memory',
  'start',
  'verify',
  'find',
  'find-postgres',
] as const
export type PartName = (typeof partNames)[number]

/** The figures that the targets name. */
export const entriesUsual = 5_000_000

export type BenchOptions = {
  parts: PartName[]
  seed: number
  /** Entries of the grown ledger, and awards of the part memory. */
  entries: number
  /** Of each measured run. */
  seconds: number
  rounds: number
  quick: boolean
  json: boolean
  /** A folder in which the grown ledger is kept for the next run. */
  ledger: string | null
  /** A database on the coordinator of a Citus cluster: the part award compares a distributed ledger with a plain one there. */
  postgres: string | null
  /** No progress on standard error: for tests. */
  silent: boolean
}

export const help = `npm run bench -- [part …] [options]

Measures the service beside its yardsticks, in turn and in one run, on this machine. Prints one table and, as its last
line, one JSON document. Ends with 1 where an answer was wrong, an audit failed or a floor was missed.

parts (all of them, unless some are named):
  award     awards a second: SQLite ÷ a bare route; spread ÷ hot; replays ÷ fresh; PostgreSQL ÷ one transaction each
  latency   one connection − (a bare route + one fsync); p99 at half of the peak, open loop
  history   a page at depth 1 million ÷ the first page; pages a second ÷ the same bytes served by a bare route
  growth    awards a second on a grown ledger ÷ on an empty one
  memory    of the server after --entries awards ÷ after 100,000
  start     from the start of the process to ready, on the grown ledger
  verify    entries a second and core, on the grown ledger
  find      a search inside the process, on a grown ledger with 1,000 partners
  find-postgres  the same on PostgreSQL, with the same entries

options:
  --entries <n>      entries of the grown ledger, and awards of memory (5000000)
  --seconds <n>      length of each measured run (5)
  --rounds <n>       how often each run is made, in turn with its yardsticks (5)
  --postgres <url>   award: on this coordinator of a Citus cluster, a distributed database ÷ a plain one
  --quick            a try of everything in 20 seconds or so: small counts, one round; floors are shown and not asserted
  --ledger <folder>  keep the grown ledger there, or take the one that is there
  --seed <n>         of users and amounts
  --json             only the JSON document
  --help
`

/** Throws if they are wrong; null: `--help`. */
export function readOptions(args: string[]): BenchOptions | null {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      entries: { type: 'string' },
      seconds: { type: 'string' },
      rounds: { type: 'string' },
      seed: { type: 'string' },
      ledger: { type: 'string' },
      postgres: { type: 'string' },
      quick: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  if (values.help) return null
  const unknown = positionals.find((name) => !isPart(name))
  if (unknown !== undefined) throw new Error(`there is no part "${unknown}": ${partNames.join(', ')}`)
  const parts = positionals.filter(isPart)
  const { quick } = values
  const integer = (name: 'entries' | 'seconds' | 'rounds' | 'seed', preset: number, min = 1) => {
    const text = values[name]
    if (text === undefined) return preset
    if (!/^\d{1,10}$/.test(text) || Number(text) < min)
      throw new Error(`--${name} must be a whole number of at least ${min}, not "${text}"`)
    return Number(text)
  }
  return {
    parts: parts.length === 0 ? [...partNames] : partNames.filter((name) => parts.includes(name)),
    seed: integer('seed', aSeed(), 0),
    entries: integer('entries', quick ? 4_000 : entriesUsual, 2_000),
    seconds: integer('seconds', quick ? 0.3 : 5),
    rounds: integer('rounds', quick ? 1 : 5),
    quick,
    json: values.json,
    ledger: values.ledger ?? null,
    postgres: values.postgres ?? null,
    silent: false,
  }
}

function isPart(name: string): name is PartName {
  return (partNames as readonly string[]).includes(name)
}
