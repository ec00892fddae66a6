import assert from 'node:assert/strict'
import { test } from 'node:test'
import { complaintOf, runCommand } from '../../support/command-line.ts'
import { anApi } from '../../support/operator-api.ts'
import { openRaw } from '../../support/raw-database.ts'
import { startService, temporaryFolder } from '../../support/service.ts'

const notATime = '9007199254740991'
const notDate = `(the time ${notATime}|a time of day 104249991 since 1970)`
const tryCaps = ['caps', 'try', '--partner', 'acme', '--per-tx', '5', '--days', '366']

/** What somebody did, which table the answers name, some that show the time, and some that do not need it. */
const damages: { sql: string; table: string; commands: string[][]; paths: string[]; others: string[][] }[] = [
  {
    sql: `UPDATE entries SET awarded_at = ${notATime}`,
    table: 'entries',
    commands: [
      ['find', 'o1'],
      ['find', 'ID'],
      ['find', 'ann@example.com'],
      ['explain', 'o1', '--partner', 'acme'],
      ['user', 'ann@example.com', '--tenant', 't1'],
      tryCaps,
    ],
    paths: ['/awards/ID'],
    others: [['usage'], ['report', '--from', '2026-01-01', '--to', '2026-12-31']],
  },
  {
    sql: `UPDATE accounts SET awarded_at = ${notATime}`,
    table: 'accounts',
    commands: [],
    paths: ['/accounts', '/partners'],
    others: [tryCaps, ['usage'], ['find', 'o1']],
  },
  {
    sql: `UPDATE audit SET at = ${notATime} WHERE audit_seq = 1`,
    table: 'audit',
    commands: [['audit']],
    paths: ['/audit'],
    others: [['partner', 'list']],
  },
  {
    sql: `UPDATE operators SET created_at = ${notATime} WHERE operator_id = 'a-viewer'`,
    table: 'operators',
    commands: [['operator', 'list']],
    paths: ['/operators'],
    others: [],
  },
  {
    sql: `UPDATE default_caps SET set_at = ${notATime}`,
    table: 'default_caps',
    commands: [['defaults', 'show']],
    paths: ['/defaults/caps', '/partners/acme'],
    others: [['partner', 'show', 'acme']],
  },
]

for (const [value, wrong] of [
  [notATime, `(acme/t1, seq 1) cannot be read: it holds the time ${notATime}, which is not a date`],
  ['9223372036854775807', 'cannot be read: it holds 9223372036854775807, more than any number of ours'],
]) {
  test(`UPDATE entries SET awarded_at = ${value}: the partner's history is a 500 without details, and the log names the entry`, async (t) => {
    const { acme, config, log } = await startService(t, {}, { nodes: 1 })
    for (const orderId of ['o1', 'o2', 'o3']) await acme.award({ orderId, userEmail: 'ann@example.com' })
    const raw = await openRaw(config.database)
    await raw.unlock()
    await raw.run(`UPDATE entries SET awarded_at = ${value} WHERE seq = 1`)
    await raw.close()
    const { status, body } = await acme.history('t1')
    assert.deepEqual(
      [status, body.code, body.detail],
      [500, 'INTERNAL_ERROR', 'an unexpected error occurred'],
    )
    const { requestId, err } = log.map((line) => JSON.parse(line)).find(({ msg }) => msg === 'internal error')
    assert.equal(requestId, body.requestId)
    assert.ok(err.message.startsWith('a row of entries ') && err.message.includes(wrong), err.message)
    assert.match(
      err.message,
      /The database was changed from outside: find the row .* correct it from a backup$/,
    )
    assert.doesNotMatch(JSON.stringify(err), /ann@/)
    assert.equal((await acme.history('t1', '&limit=1')).status, 200)
  })
}

for (const { sql, table, commands, paths, others } of damages) {
  test(`${sql}: what shows the time names its row, without a stack trace, and the rest is answered`, async (t) => {
    const service = await startService(t, {}, { nodes: 1 })
    const { database } = service.config
    const { body: award } = await service.acme.award({ orderId: 'o1', userEmail: 'ann@example.com' })
    await service.lookNow()
    const api = await anApi(t, service)
    const raw = await openRaw(database)
    await raw.unlock()
    const trigger = 'audit_is_never_changed'
    await raw.run(`DROP TRIGGER ${trigger}${database.kind === 'sqlite' ? '' : ' ON audit'}`)
    await raw.run(sql)
    await raw.close()
    const named = new RegExp(
      `^(partner-credit: )?a row of ${table} cannot be read: it holds ${notDate}, which is not a date`,
    )

    const cwd = temporaryFolder(t)
    const url = database.kind === 'sqlite' ? `sqlite:${database.path}` : database.url
    const withId = (text: string) => text.replace('ID', award.epTransactionId)
    for (const command of commands) {
      const result = await runCommand([...command.map(withId), '--database-url', url], { cwd })
      assert.match(complaintOf(result, 1), named, command.join(' '))
    }
    for (const path of paths) {
      const { status, body } = await api.as('admin', { path: withId(path) })
      assert.equal(status, 500, path)
      assert.match(body.detail, named, path)
    }
    for (const command of others) {
      const { code, stderr } = await runCommand([...command, '--database-url', url], { cwd })
      assert.equal(code, 0, `${command.join(' ')}: ${stderr}`)
    }
  })
}
