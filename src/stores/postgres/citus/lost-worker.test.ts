import { equal, ok } from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { Unavailable } from '../../../ledger/errors.ts'
import { isRace } from '../commit.ts'
import { asUnavailable } from '../database.ts'
import { isWorkerLost } from './lost-worker.ts'

/** As the coordinator of a real cluster has reported them. */
function reported(fields: { message: string; code: string; routine?: string; constraint?: string }) {
  return Object.assign(new pg.DatabaseError(fields.message, 0, 'error'), fields)
}

for (const [message, routine] of [
  ['failure on connection marked as essential: 127.0.0.1:36433', 'MarkRemoteTransactionFailed'],
  ['failure on connection marked as essential: 127.0.0.1:36433', 'CheckRemoteTransactionsHealth'],
  ['SSL SYSCALL error: EOF detected', 'ReportResultError'],
] as const) {
  test(`a worker that is lost is a fault of the world, not a bug: ${message} (${routine})`, () => {
    const error = reported({ message, routine, code: 'XX000' })
    ok(isWorkerLost(error))
    ok(asUnavailable(error) instanceof Unavailable)
  })
}

test('an internal error that PostgreSQL itself reports stays what it is', () => {
  const error = reported({ message: 'cache lookup failed', routine: 'elog_finish', code: 'XX000' })
  equal(isWorkerLost(error), false)
  equal(asUnavailable(error), error)
})

const violated = (name: string) => `duplicate key value violates unique constraint "${name}"`

test('a shard that moved between our two trips is a race to retry, like the one for an order', () => {
  for (const name of ['entries_by_order', 'entries_by_order_102050', 'entries_pkey_102050'])
    ok(isRace(reported({ message: violated(name), code: '23505' })), name)
})

test('a chain that has its next entry already, where no shard can move, is no race', () => {
  equal(isRace(reported({ message: violated('entries_pkey'), code: '23505' })), false)
})
