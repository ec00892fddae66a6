import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setDefaultCaps } from '../../../src/partners/set-default-caps.ts'
import { send } from '../../support/client.ts'
import { complaintOf, runCommand } from '../../support/command-line.ts'
import { eventually } from '../../support/eventually.ts'
import { anApi } from '../../support/operator-api.ts'
import { assertUnavailable } from '../../support/problem-assertions.ts'
import { openRaw } from '../../support/raw-database.ts'
import { startService, temporaryFolder } from '../../support/service.ts'

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

    assertUnavailable(await service.acme.award({ orderId: 'o2' }))
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

test('a server whose default caps were deleted is not ready, says why to operators only, and goes on with them', async (t) => {
  const service = await startService(t, {}, { nodes: 1 })
  assert.equal((await service.acme.award()).status, 202)
  const raw = await openRaw(service.config.database)
  await raw.run('DELETE FROM default_caps')

  const order = { orderId: 'later' }
  const refused = await service.acme.award(order)
  assertUnavailable(refused)
  assert.doesNotMatch(refused.text, /default_caps|backup/)
  assert.ok(service.log.some((line) => line.includes(`"message":"${lost}`)))
  const readyz = (url: string) => send(`${url}/readyz`)
  await eventually('not ready', async () => {
    const notReady = await readyz(service.operatorUrl)
    if (notReady.status === 200) return false // from before, up to a second old
    assertUnavailable(notReady, 'operator')
    assert.ok(notReady.body.detail.startsWith(lost), notReady.body.detail)
    return true
  })
  const forPartners = await readyz(service.url)
  assertUnavailable(forPartners)
  assert.doesNotMatch(forPartners.text, /default_caps/)

  await raw.run('INSERT INTO default_caps VALUES (1, 10000, 1000000, 20000, NULL)')
  await raw.close()
  assert.equal((await service.acme.award(order)).status, 202)
  await eventually('ready again', async () => (await readyz(service.operatorUrl)).status === 200)
})
