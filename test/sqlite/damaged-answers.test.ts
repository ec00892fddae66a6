import assert from 'node:assert/strict'
import { DatabaseSync } from 'node:sqlite'
import { test } from 'node:test'
import { complaintOf, runCommand } from '../support/command-line.ts'
import { anApi } from '../support/operator-api.ts'
import { startService, temporaryFolder } from '../support/service.ts'

const unlocked = 'DROP TRIGGER entries_are_never_changed'
const ofUser = ['user', 'ann@example.com', '--tenant', 't1']
const report = ['report', '--from', '2026-01-01', '--to', '2026-12-31']
const tryCaps = ['caps', 'try', '--partner', 'acme', '--per-tx', '5']

/** What somebody did, which table the answers name, and some that read it. */
const damages: { sql: string; table: string; commands: string[][]; paths: string[] }[] = [
  {
    sql: `${unlocked}; UPDATE entries SET points = 9223372036854775807`,
    table: 'entries',
    commands: [['find', 'o1'], ['find', 'ann@example.com'], ofUser],
    paths: ['/awards/ID'],
  },
  {
    sql: `${unlocked}; UPDATE entries SET awarded_at = 9223372036854775807`,
    table: 'entries',
    commands: [['find', 'o1'], ['find', 'ID'], report, tryCaps],
    paths: ['/awards/ID', '/overview', '/usage', '/partners', '/reports?from=2026-01-01&to=2026-12-31'],
  },
  {
    sql: `${unlocked}; UPDATE entries SET rowid = 9223372036854775807`,
    table: 'entries (look at its rowid)',
    commands: [['find', 'o1'], ['find', 'ID'], ['find', 'ann@example.com'], ofUser],
    paths: [],
  },
  {
    sql: 'UPDATE user_days SET points = 9223372036854775807',
    table: 'user_days',
    commands: [ofUser],
    paths: [],
  },
  {
    sql: 'DROP TRIGGER audit_is_never_changed; UPDATE audit SET at = 9223372036854775807 WHERE audit_seq = 1',
    table: 'audit',
    commands: [['audit']],
    paths: ['/audit'],
  },
  {
    sql: "UPDATE operators SET created_at = 9223372036854775807 WHERE operator_id = 'a-viewer'",
    table: 'operators',
    commands: [['operator', 'list']],
    paths: ['/usage'],
  },
]

for (const { sql, table, commands, paths } of damages) {
  test(`${sql}: every answer that needs the row names it, without a stack trace`, async (t) => {
    const service = await startService(t, {}, { nodes: 1 })
    assert.ok(service.config.database.kind === 'sqlite')
    const { path } = service.config.database
    const { body: award } = await service.acme.award({ orderId: 'o1', userEmail: 'ann@example.com' })
    await service.lookNow()
    const api = await anApi(t, service)
    const raw = new DatabaseSync(path)
    raw.exec(sql)
    raw.close()
    const named = `a row of ${table} cannot be read: it holds 9223372036854775807, more than any number of ours. `

    const cwd = temporaryFolder(t)
    for (const command of commands) {
      const args = command.map((arg) => arg.replace('ID', award.epTransactionId))
      const result = await runCommand([...args, '--database-url', `sqlite:${path}`], { cwd })
      assert.ok(complaintOf(result, 1).startsWith(`partner-credit: ${named}`), result.stderr)
    }
    for (const one of paths) {
      const { status, body } = await api.as('viewer', { path: one.replace('ID', award.epTransactionId) })
      assert.equal(status, 500)
      assert.ok(body.detail.startsWith(named), `${one}: ${body.detail}`)
    }
  })
}
