import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPartner } from '../../../src/partners/create-partner.ts'
import { setDefaultCaps } from '../../../src/partners/set-default-caps.ts'
import { suspendPartner } from '../../../src/partners/set-partner-status.ts'
import { setTenantCaps } from '../../../src/partners/set-tenant-caps.ts'
import type { DatabaseLocation } from '../../../src/stores/open.ts'
import { runCommand } from '../../support/command-line.ts'
import { anApi } from '../../support/operator-api.ts'
import { openRaw } from '../../support/raw-database.ts'
import { startService, temporaryFolder } from '../../support/service.ts'

const beyond = '9223372036854775807'
const notATime = '9007199254740991'

const newPartner = (partnerId: string, tenants: string[]) => ({
  partnerId,
  name: partnerId,
  tenants,
  perTx: null,
  perPartnerDay: null,
})

/** What somebody did to globex, and which table and value the lists name. */
const damages: [string, RegExp][] = [
  [`partners SET per_tx = ${beyond}`, /a row of partners cannot be read: it holds 9223372036854775807/],
  [`grants SET per_tx = ${beyond}`, /a row of grants cannot be read: it holds 9223372036854775807/],
  [`keys SET created_at = ${beyond}`, /a row of keys cannot be read: it holds 9223372036854775807/],
  [`keys SET expires_at = ${notATime}`, /a row of keys cannot be read: it holds 9007199254740991/],
  [`partners SET created_at = ${notATime}`, /a row of partners cannot be read: it holds 9007199254740991/],
]
for (const [damage, problem] of damages) {
  test(`UPDATE ${damage}: lists of partners show the others and name the damaged one, and caps are set`, async (t) => {
    const service = await startService(t, {}, { nodes: 1 })
    const { config, operate } = service
    await operate((operator) => createPartner(operator, newPartner('initech', ['t1']), config.masterKey!))
    const api = await anApi(t, service)
    await change(config.database, `UPDATE ${damage} WHERE partner_id = 'globex'`)

    const { status, body } = await api.as('viewer', { path: '/partners' })
    assert.equal(status, 200)
    assert.deepEqual(ids(body.items), ['acme', 'initech'])
    assert.deepEqual(ids(body.damaged), ['globex'])
    assert.match(body.damaged[0].problem, problem)
    const first = await api.as('viewer', { path: '/partners?limit=2' })
    assert.deepEqual([ids(first.body.items), ids(first.body.damaged)], [['acme'], ['globex']])
    const next = await api.as('viewer', { path: `/partners?limit=2&cursor=${first.body.nextCursor}` })
    assert.deepEqual([ids(next.body.items), ids(next.body.damaged)], [['initech'], []])
    for (const path of ['/names', '/tenants', '/overview'])
      assert.equal((await api.as('viewer', { path })).status, 200, path)

    const args = ['partner', 'list', '--database-url', urlOf(config.database)]
    const cwd = temporaryFolder(t)
    const text = await runCommand(args, { cwd })
    assert.equal(text.code, 1)
    assert.match(text.stdout, /^initech +initech +active +t1 +1$/m)
    assert.match(text.stdout, /^globex +globex +active, DAMAGED/m)
    assert.match(text.stderr, /^partner-credit: the partner "globex" is damaged: /)
    assert.match(text.stderr, problem)
    const json = await runCommand([...args, '--json'], { cwd })
    assert.equal(json.code, 1)
    const list = JSON.parse(json.stdout)
    assert.deepEqual(ids(list), ['acme', 'initech', 'globex'])
    assert.match(list[2].damaged, problem)

    await operate((operator) => setTenantCaps(operator, 't1', 7))
    await operate((operator) => setDefaultCaps(operator, { perTx: 7 }))
  })
}

for (const damage of [`per_user_day = ${beyond}`, `created_at = ${notATime}`]) {
  test(`UPDATE tenants SET ${damage}: lists show the others and name the damaged one; a partner is suspended, and caps of another tenant are set`, async (t) => {
    const service = await startService(t, {}, { nodes: 1 })
    const { config, operate } = service
    await operate((operator) => createPartner(operator, newPartner('hooli', ['bad']), config.masterKey!))
    const api = await anApi(t, service)
    await change(config.database, `UPDATE tenants SET ${damage} WHERE tenant_id = 'bad'`)
    const problem = /^a row of tenants cannot be read: it holds \d+, /

    const { status, body } = await api.as('viewer', { path: '/tenants' })
    assert.equal(status, 200)
    assert.ok(tenantIds(body.items).includes('t1'))
    assert.deepEqual(tenantIds(body.damaged), ['bad'])
    assert.match(body.damaged[0].problem, problem)
    for (const path of ['/names', '/partners', '/overview', '/refusals'])
      assert.equal((await api.as('viewer', { path })).status, 200, path)

    const args = ['tenant', 'list', '--database-url', urlOf(config.database)]
    const cwd = temporaryFolder(t)
    const text = await runCommand(args, { cwd })
    assert.equal(text.code, 1)
    assert.match(text.stdout, /^t1 +20000 \(default\)/m)
    assert.match(text.stdout, /^bad +DAMAGED/m)
    assert.match(text.stderr, /^partner-credit: the tenant "bad" is damaged: a row of tenants cannot be read/)
    const json = await runCommand([...args, '--json'], { cwd })
    assert.equal(json.code, 1)
    assert.match(JSON.parse(json.stdout).at(-1).damaged, problem)

    await operate((operator) => suspendPartner(operator, 'hooli'))
    await operate((operator) => setTenantCaps(operator, 't1', 7))
  })
}

const damagesOfUsage: [string, RegExp, string[]][] = [
  [
    `partners SET per_tx = ${beyond} WHERE partner_id = 'globex'`,
    /^the partner "globex" is damaged: a row of partners cannot be read/,
    ['t1', 't2'],
  ],
  [
    `grants SET per_partner_day = ${beyond} WHERE partner_id = 'globex'`,
    /^the partner "globex" is damaged: a row of grants cannot be read/,
    ['t1', 't2'],
  ],
  [
    `tenants SET per_user_day = ${beyond} WHERE tenant_id = 't1'`,
    /^the tenant "t1" is damaged: a row of tenants cannot be read/,
    ['t2'],
  ],
]
for (const [damage, problem, knownTenants] of damagesOfUsage) {
  test(`UPDATE ${damage}: usage of today shows the others and names the damaged one`, async (t) => {
    const service = await startService(t, {}, { nodes: 1 })
    const { config, clock, acme, globex } = service
    clock.set(Date.now()) // the command has the system's clock
    await acme.award({ tenantId: 't2', amount: 3_000 })
    await globex.award({ tenantId: 't1', amount: 2_000 })
    const api = await anApi(t, service)
    await change(config.database, `UPDATE ${damage}`)

    const { status, body } = await api.as('viewer', { path: '/usage?users=true' })
    assert.equal(status, 200)
    assert.deepEqual(ids(body.accounts), ['acme'])
    assert.deepEqual(ids(body.damaged), ['globex'])
    assert.match(body.damaged[0].problem, problem)
    assert.deepEqual(tenantIds(body.tenants), knownTenants)

    const args = ['usage', '--database-url', urlOf(config.database)]
    const cwd = temporaryFolder(t)
    const text = await runCommand(args, { cwd })
    assert.equal(text.code, 1)
    assert.match(text.stdout, /^acme +t2 +1 +3 +/m)
    assert.match(text.stdout, /^globex +t1 +1 +2 +\? +DAMAGED/m)
    assert.match(text.stderr.replace('partner-credit: ', ''), problem)
    const json = await runCommand([...args, '--json'], { cwd })
    assert.equal(json.code, 1)
    const answer = JSON.parse(json.stdout)
    assert.deepEqual([ids(answer.accounts), ids(answer.damaged)], [['acme'], ['globex']])
  })
}

function urlOf(database: DatabaseLocation): string {
  return database.kind === 'sqlite' ? `sqlite:${database.path}` : database.url
}

async function change(database: DatabaseLocation, sql: string): Promise<void> {
  const raw = await openRaw(database)
  await raw.run(sql)
  await raw.close()
}

function ids(rows: { partnerId: string }[]): string[] {
  return rows.map(({ partnerId }) => partnerId)
}

function tenantIds(rows: { tenantId: string }[]): string[] {
  return rows.map(({ tenantId }) => tenantId)
}
