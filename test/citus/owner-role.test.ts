import { rejects } from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { test } from 'node:test'
import { systemClock } from '../../src/clock.ts'
import { Unavailable } from '../../src/ledger/errors.ts'
import { serveStore } from '../../src/stores/open.ts'
import { citusUrl } from '../support/citus-database.ts'
import { freshCitus } from '../support/fresh-citus.ts'
import { runSql } from '../support/fresh-database.ts'

if (citusUrl !== undefined) {
  test('a role that may read and write everything, but does not own the tables, is refused at startup', async (t) => {
    const { url, remove } = await freshCitus()
    const role = `test_${randomBytes(6).toString('hex')}`
    // The databases of a node share its roles.
    t.after(async () => {
      await remove()
      await runSql(citusUrl!, `DROP ROLE ${role}`)
    })
    // One by one: of several in one message, Citus would send all of them to its nodes for each of them.
    await runSql(url, `CREATE ROLE ${role} LOGIN PASSWORD 'test'`)
    await runSql(url, `GRANT ALL ON ALL TABLES IN SCHEMA public TO ${role}`)
    await runSql(url, `GRANT pg_read_all_settings TO ${role}`)
    const asRole = Object.assign(new URL(url), { username: role, password: 'test' }).href
    const start = () =>
      serveStore({ kind: 'postgres', url: asRole }, { caps: {}, clock: systemClock, warn: () => {} })
    await rejects(start, (error: Error) => {
      const says = `the role ${role} does not own the table accounts, and only an owner may keep a shard from being moved`
      return error instanceof Unavailable && error.message.startsWith(says)
    })

    const owner = decodeURIComponent(new URL(url).username)
    await runSql(url, `GRANT ${owner} TO ${role}`)
    const store = await start()
    await store.ledger.close()
    await store.close()
  })
}
