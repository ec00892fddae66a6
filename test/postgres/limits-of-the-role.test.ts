import { equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { runCommand } from '../support/command-line.ts'
import { eventually } from '../support/eventually.ts'
import { runSql } from '../support/fresh-database.ts'
import { databaseOfOwnRole } from '../support/own-role.ts'
import { temporaryFolder } from '../support/service.ts'
import { masterKey } from '../support/transfers.ts'

const limits = [
  ...['statement_timeout', 'lock_timeout', 'transaction_timeout'],
  ...['idle_in_transaction_session_timeout', 'idle_session_timeout'],
]

test('limits of the role that are shorter than a command end none that takes as long as the ledger is large', async (t) => {
  const { database, role, url } = await databaseOfOwnRole()
  t.after(() => database.remove())
  await runSql(
    database.url,
    `GRANT CREATE ON SCHEMA public TO ${role};
     ${limits.map((limit) => `ALTER ROLE ${role} SET ${limit} = 50`).join('; ')}`,
  )
  const cwd = temporaryFolder(t)
  const run = (args: string[]) =>
    runCommand(args, { cwd, environment: { DATABASE_URL: url, MASTER_KEY: masterKey } })
  const table = 'LOCK TABLE user_days IN ACCESS EXCLUSIVE MODE'
  const cases: { args: string[]; hold: string; result: RegExp }[] = [
    {
      args: ['migrate'],
      hold: 'LOCK TABLE migrations IN ACCESS EXCLUSIVE MODE',
      result: /^nothing to migrate/,
    },
    { args: ['verify'], hold: table, result: /^sound: 0 entries/ },
    { args: ['export', '--out', 'ledger.ndjson'], hold: table, result: /^exported 0 entries/ },
    { args: ['import', 'ledger.ndjson'], hold: table, result: /^imported 0 entries/ },
  ]
  for (const { args, hold, result } of cases) {
    await t.test(args[0]!, async (t) => {
      const holder = new pg.Client(database.url)
      await holder.connect()
      t.after(() => holder.end())
      await holder.query(`BEGIN; ${hold}`)
      let hasEnded = false
      const command = run(args).finally(() => {
        hasEnded = true
      })
      await eventually('the command has waited longer than the limits', async () => {
        const rows = await runSql(
          database.url,
          `SELECT FROM pg_stat_activity WHERE usename = '${role}' AND wait_event_type = 'Lock'
             AND clock_timestamp() - query_start > interval '200 ms'`,
        )
        return hasEnded || rows.length > 0
      })
      await holder.query('ROLLBACK')
      const { code, stdout, stderr } = await command
      equal(code, 0, stderr)
      match(stdout, result)
    })
  }
})
