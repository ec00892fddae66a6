import type { PartName } from './options.ts'

/** A figure that has a floor and a goal; `more`: higher is better. */
export type Target = {
  part: PartName
  what: string
  floor: number
  aim: number
  better: 'more' | 'less'
  unit: '' | 'ms' | 's' | '/s'
}

export const targets = {
  awardOverCeiling: more(
    'award',
    'fresh awards, SQLite, 64 connections, hot partner ÷ bare route',
    0.7,
    0.85,
  ),
  spreadOverHot: more('award', 'same, spread over 100 partners × 10 tenants ÷ hot partner', 0.9, 1),
  replayOverFresh: more('award', 'replays ÷ fresh awards', 1, 1.2),
  postgresHot: more('award', 'fresh awards, PostgreSQL, hot partner ÷ one transaction per award', 6, 12),
  postgresSpread: more('award', 'same, spread over 1,000 accounts ÷ one transaction per award', 2, 4),
  citusHot: more('award', 'fresh awards, Citus, hot partner ÷ a plain database on its coordinator', 0.6, 0.8),
  citusSpread: more('award', 'same, spread over 1,000 accounts', 0.35, 0.6),
  citusHalfPeak: less('award', 'p99 at half of the hot peak, Citus, open loop', 60, 40, 'ms'),
  latencyAlone: less('latency', 'p50 of one connection − (bare route + one fsync)', 0.5, 0.2, 'ms'),
  latencyHalfPeak: less('latency', 'p99 at half of the peak, open loop', 25, 10, 'ms'),
  growth: more('growth', 'awards/s on the grown ledger ÷ on an empty one', 0.8, 0.95),
  historyDepth: less('history', 'a deep page ÷ the first page (time)', 1.2, 1.05),
  historyOverStatic: more('history', 'pages/s of 100 items ÷ the same bytes, bare route', 0.3, 0.5),
  memory: less('memory', 'memory after all awards ÷ after 100,000', 1.3, 1.1),
  start: less('start', 'time to ready on the grown ledger', 1, 0.4, 's'),
  verify: more('verify', 'verify, entries a second and core', 150_000, 400_000, '/s'),
  findSqlite: less('find', 'find, the slowest kind of search, p99, SQLite', 50, 10, 'ms'),
  findPostgres: less('find-postgres', 'find, the slowest kind of search, p99, PostgreSQL', 50, 10, 'ms'),
} satisfies Record<string, Target>

export type TargetName = keyof typeof targets

function more(part: PartName, what: string, floor: number, aim: number, unit: Target['unit'] = ''): Target {
  return { part, what, floor, aim, better: 'more', unit }
}

function less(part: PartName, what: string, floor: number, aim: number, unit: Target['unit'] = ''): Target {
  return { part, what, floor, aim, better: 'less', unit }
}

export function reaches({ better }: Target, measured: number, bound: number): boolean {
  return better === 'more' ? measured >= bound : measured <= bound
}
