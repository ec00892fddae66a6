import { equal, rejects } from 'node:assert/strict'
import { after, test } from 'node:test'
import { Unavailable } from '../../src/ledger/errors.ts'
import { type Client, openPool, reading } from '../../src/stores/postgres/database.ts'
import { freshPostgres } from '../support/fresh-database.ts'
import { createTestClock } from '../support/test-clock.ts'

const database = await freshPostgres()
const pool = openPool(database.url, { connectionsMax: 1 })
after(async () => {
  await pool.end()
  await database.remove()
})

const die = (client: Client) => client.query('SELECT pg_terminate_backend(pg_backend_pid())')

/** Runs `work` and returns how often it was tried. */
async function triesOf(
  work: (client: Client, attempt: number) => Promise<unknown>,
  clock = createTestClock(),
) {
  let attempts = 0
  await reading(pool, clock, (client) => work(client, ++attempts))
  return attempts
}

test('what is read on a connection that has died is read again on another', async () => {
  equal(await triesOf((client, attempt) => (attempt < 4 ? die(client) : client.query('SELECT 1'))), 4)
})

test('not forever, and not for long', async () => {
  await rejects(triesOf(die), Unavailable)
  const clock = createTestClock()
  let attempts = 0
  const late = (client: Client) => {
    attempts++
    clock.advance(500)
    return die(client)
  }
  await rejects(triesOf(late, clock), Unavailable)
  equal(attempts, 1)
})

test('what is wrong with the statement itself is not retried', async () => {
  let attempts = 0
  const wrong = (client: Client) => {
    attempts++
    return client.query('SELECT nowhere')
  }
  await rejects(triesOf(wrong), /nowhere/)
  equal(attempts, 1)
})
