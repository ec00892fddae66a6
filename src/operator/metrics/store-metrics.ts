import type { StoreMeasures } from '../../ledger/measures.ts'
import { gauge, histogram, type Metric } from './metric.ts'

export function storeMetrics({ commits, log, pools }: StoreMeasures): Metric[] {
  return [
    gauge('partner_credit_awards_waiting', 'Awards that wait for a commit.', [{ value: commits.waiting }]),
    gauge('partner_credit_commits_running', 'Commits that run now.', [{ value: commits.running }]),
    histogram('partner_credit_batch_size', 'Awards per commit.', [{ reading: commits.batchSizes }]),
    histogram(
      'partner_credit_commit_duration_seconds',
      'Time from handing a batch to the database until it is durable, or has failed.',
      [{ reading: commits.commitMs }],
      1_000,
    ),
    ...(log === null ? [] : logMetrics(log)),
    ...(pools.length === 0 ? [] : poolMetrics(pools)),
  ]
}

function logMetrics({ bytes, limitBytes, copyMs, startOverMs }: NonNullable<StoreMeasures['log']>): Metric[] {
  return [
    gauge('partner_credit_wal_bytes', "Bytes of SQLite's write-ahead log that are in use.", [
      { value: bytes },
    ]),
    gauge('partner_credit_wal_limit_bytes', 'Awards are refused while the write-ahead log is this long.', [
      { value: limitBytes },
    ]),
    histogram(
      'partner_credit_checkpoint_duration_seconds',
      'Time to copy the write-ahead log into the database (copy, beside the commits) or to start it over (start_over, commits wait).',
      [
        { labels: { step: 'copy' }, reading: copyMs },
        { labels: { step: 'start_over' }, reading: startOverMs },
      ],
      1_000,
    ),
  ]
}

function poolMetrics(pools: StoreMeasures['pools']): Metric[] {
  return [
    gauge(
      'partner_credit_database_connections',
      'Connections to PostgreSQL by what they are for and whether they are in use.',
      pools.flatMap(({ name: pool, used, idle }) => [
        { labels: { pool, state: 'used' }, value: used },
        { labels: { pool, state: 'idle' }, value: idle },
      ]),
    ),
    gauge(
      'partner_credit_database_connections_max',
      'The most connections of each kind.',
      pools.map(({ name: pool, max: value }) => ({ labels: { pool }, value })),
    ),
    gauge(
      'partner_credit_database_waiting',
      'Callers that wait for a connection.',
      pools.map(({ name: pool, waiting: value }) => ({ labels: { pool }, value })),
    ),
  ]
}
