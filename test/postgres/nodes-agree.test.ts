import { deepEqual, equal } from 'node:assert/strict'
import { test } from 'node:test'
import { tmpdir } from 'node:os'
import { allowTenant, denyTenant } from '../../src/partners/allow-tenant.ts'
import { createKey } from '../../src/partners/create-key.ts'
import { revokeKey } from '../../src/partners/revoke-key.ts'
import { setPartnerCaps } from '../../src/partners/set-partner-caps.ts'
import { resumePartner, suspendPartner } from '../../src/partners/set-partner-status.ts'
import { setTenantCaps } from '../../src/partners/set-tenant-caps.ts'
import { createClient } from '../support/client.ts'
import { documentOf, runCommand } from '../support/command-line.ts'
import { urlOf } from '../support/database-sessions.ts'
import { eventually } from '../support/eventually.ts'
import { startService } from '../support/service.ts'

test('three nodes', async (t) => {
  const service = await startService(t, {}, { nodes: 3 })
  const { acme, operate, clock, config, urls } = service
  const masterKey = config.masterKey!
  const environment = {
    DATABASE_URL: urlOf(service),
    MASTER_KEY: Buffer.from(masterKey).toString('base64'),
  }
  const command = async (...args: string[]) =>
    documentOf(await runCommand([...args, '--json'], { cwd: tmpdir(), environment }))

  type Key = { apiKey: string; signingSecret: string }
  const onEachNode = (key: Key) => urls.map((url) => createClient(url, key, clock))
  /** Every node responds with this to this key's request for this tenant's history, within a second. */
  const agreeOn = (status: number, key: Key, tenantId = 't1') =>
    eventually(
      `every node answers ${status}`,
      async () => {
        const answers = await Promise.all(onEachNode(key).map((client) => client.history(tenantId)))
        return answers.every((answer) => answer.status === status)
      },
      { withinMs: 1_000 },
    )
  /** The responses of every node to one more award, a moment later. */
  const nextAwards = async (amount = 1000) => {
    const answers = await Promise.all(onEachNode(acme).map((client) => client.award({ amount })))
    return answers.map(({ status, body }) => body.code ?? status)
  }
  const three = <T>(value: T): T[] => Array(3).fill(value)

  await t.test(
    'know a key within a second of its making and forget it within a second of its end',
    async () => {
      const key = await operate((operator) => createKey(operator, 'acme', masterKey))
      await agreeOn(200, key)
      await operate((operator) => revokeKey(operator, key.keyId))
      await agreeOn(401, key)
    },
  )

  await t.test('hear of a tenant allowed or denied within a second', async () => {
    await operate((operator) => allowTenant(operator, 'acme', 't9'))
    await agreeOn(200, acme, 't9')
    await operate((operator) => denyTenant(operator, 'acme', 't9'))
    await agreeOn(403, acme, 't9')
  })

  await t.test('hear all of it from the command line just as soon', async () => {
    const key = await command('key', 'create', 'acme')
    await agreeOn(200, key)
    await command('key', 'revoke', key.keyId)
    await agreeOn(401, key)
    await command('partner', 'allow', 'acme', '--tenant', 't8')
    await agreeOn(200, acme, 't8')
  })

  await t.test('suspend and resume a partner with the very next award', async () => {
    deepEqual(await nextAwards(), three(202))
    await operate((operator) => suspendPartner(operator, 'acme'))
    deepEqual(await nextAwards(), three('PARTNER_SUSPENDED'))
    await operate((operator) => resumePartner(operator, 'acme'))
    deepEqual(await nextAwards(), three(202))
    await command('partner', 'suspend', 'acme')
    deepEqual(await nextAwards(), three('PARTNER_SUSPENDED'))
    await command('partner', 'resume', 'acme')
    deepEqual(await nextAwards(), three(202))
  })

  await t.test('keep to new caps with the very next award', async () => {
    const setCaps = (perTx: number | null, perPartnerDay: number | null) =>
      operate((operator) => setPartnerCaps(operator, 'acme', { perTx, perPartnerDay }, undefined))
    await setCaps(1, null)
    deepEqual(await nextAwards(2000), three('PER_TX_CAP_EXCEEDED'))
    await setCaps(null, 5)
    deepEqual(await nextAwards(), three('DAILY_CAP_EXCEEDED'))
    await setCaps(null, null)
    await operate((operator) => setTenantCaps(operator, 't1', 1))
    deepEqual(await nextAwards(2000), three('DAILY_CAP_EXCEEDED'))
    await operate((operator) => setTenantCaps(operator, 't1', null))
    deepEqual(await nextAwards(2000), three(202))
  })

  await t.test('refuse an award to a tenant with the very next one after it was denied', async () => {
    await operate((operator) => denyTenant(operator, 'acme', 't2'))
    const answers = await Promise.all(onEachNode(acme).map((client) => client.award({ tenantId: 't2' })))
    deepEqual(
      answers.map(({ body }) => body.code),
      three('TENANT_NOT_ALLOWED'),
    )
  })

  await t.test('afterwards the ledger is sound', async () => {
    const { sound, fault } = await service.verify()
    equal(sound, true, fault ?? '')
  })
})
