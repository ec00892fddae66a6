import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import type pg from 'pg'
import { anAwardBody, send } from '../support/client.ts'
import { openSession } from '../support/database-sessions.ts'
import { eventually } from '../support/eventually.ts'
import { databaseOfOwnRole } from '../support/own-role.ts'
import { assertUnavailable } from '../support/problem-assertions.ts'
import { type Lifetime, startService } from '../support/service.ts'

const tooManyConnections = '53300'

/** Takes every remaining connection of the role. */
async function takeTheRest(test: Lifetime, url: string): Promise<pg.Client[]> {
  const taken: pg.Client[] = []
  for (;;) {
    try {
      taken.push(await openSession(test, url))
    } catch (error) {
      if ((error as { code?: string }).code === tooManyConnections) return taken
      throw error
    }
  }
}

test('too many connections: awards are 503 and we are not ready, until there is room again', async (t) => {
  const { database, url } = await databaseOfOwnRole('CONNECTION LIMIT 12')
  const service = await startService(t, { DATABASE_URL: url }, { nodes: 1, database })
  const taken = await takeTheRest(t, url)

  const order = anAwardBody()
  assertUnavailable(await service.acme.award(order))
  await eventually('not ready', async () => (await send(`${service.url}/readyz`)).status === 503)
  assertUnavailable(await send(`${service.url}/readyz`))
  equal((await send(`${service.url}/livez`)).status, 200)

  await Promise.all(taken.map((session) => session.end()))
  const ready = async () => (await send(`${service.url}/readyz`)).status === 200
  await eventually('ready again', ready, { withinMs: 5_000 })
  equal((await service.acme.award(order)).status, 202)
  equal((await service.acme.award(order)).body.code, 'DUPLICATE')
  equal((await service.verify()).sound, true)
})
