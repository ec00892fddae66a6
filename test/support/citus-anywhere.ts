import type { BatchKind } from '../../src/stores/postgres/batch-kind.ts'

/** The statements for Citus work on any PostgreSQL, apart from the one that keeps shards on their nodes. */
export function withoutShards(batches: BatchKind): BatchKind {
  return { ...batches, statements: { ...batches.statements, keepInPlace: () => [] } }
}
