import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setDefaultCaps } from '../../src/partners/set-default-caps.ts'
import { complaintOf, runCommand } from '../support/command-line.ts'
import { anApi } from '../support/operator-api.ts'
import { openRaw } from '../support/raw-database.ts'
import { startService, temporaryFolder } from '../support/service.ts'

const lost =
  'default_caps has lost its row (only_row = 1), and without the default caps nothing is credited: '
const commands = [
  ['defaults', 'show'],
  ['user', 'ann@example.com', '--tenant', 't1'],
  ['caps', 'try', '--partner', 'acme', '--per-tx', '5'],
  ['usage'],
  ['tenant', 'list'],
  ['partner', 'show', 'acme'],
]
const paths = [
  '/defaults/caps',
  '/tenants',
  '/partners',
  '/partners/acme',
  '/overview',
  '/usage',
  '/partners/acme/usage',
]

const damages = {
  sqlite: [
    'DELETE FROM default_caps',
    'PRAGMA ignore_check_constraints = ON; UPDATE default_caps SET only_row = 2',
  ],
  postgres: [
    'DELETE FROM default_caps',
    'ALTER TABLE default_caps DROP CONSTRAINT default_caps_only_row_check; UPDATE default_caps SET only_row = 2',
  ],
}
for (const [index, name] of ['without its row', 'whose only_row is 2'].entries()) {
  test(`default_caps ${name}: nothing is credited, and what needs the defaults says so in one sentence`, async (t) => {
    const service = await startService(t, {}, { nodes: 1 })
    const { database } = service.config
    assert.equal((await service.acme.award({ orderId: 'o1', userEmail: 'ann@example.com' })).status, 202)
    const api = await anApi(t, service)
    const raw = await openRaw(database)
    await raw.run(damages[database.kind][index]!)

    assert.ok((await service.acme.award({ orderId: 'o2' })).status >= 500)
    assert.equal((await raw.rows('SELECT 1 FROM entries')).length, 1)
    await raw.close()

    const url = database.kind === 'sqlite' ? `sqlite:${database.path}` : database.url
    const cwd = temporaryFolder(t)
    for (const command of commands) {
      const result = await runCommand([...command, '--database-url', url], { cwd })
      assert.ok(complaintOf(result, 1).startsWith(`partner-credit: ${lost}`), `${command}: ${result.stderr}`)
    }
    for (const path of paths) {
      const { status, body } = await api.as('admin', { path })
      assert.equal(status, 500, path)
      assert.ok(body.detail.startsWith(lost), `${path}: ${body.detail}`)
    }
    await assert.rejects(
      service.operate((operator) => setDefaultCaps(operator, { perTx: 7 })),
      (error: Error) => error.message.startsWith(lost),
    )
  })
}
