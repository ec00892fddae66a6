import assert from 'node:assert/strict'
import { allowTenant, denyTenant } from '../../src/partners/allow-tenant.ts'
import { createKey, rotateKey } from '../../src/partners/create-key.ts'
import { createPartner } from '../../src/partners/create-partner.ts'
import type { Operator } from '../../src/partners/operator.ts'
import { revokeKey } from '../../src/partners/revoke-key.ts'
import { setDefaultCaps } from '../../src/partners/set-default-caps.ts'
import { setPartnerCaps } from '../../src/partners/set-partner-caps.ts'
import { setPartnerRate } from '../../src/partners/set-partner-rate.ts'
import { suspendPartner } from '../../src/partners/set-partner-status.ts'
import { setTenantCaps } from '../../src/partners/set-tenant-caps.ts'
import { type Answer, type AwardFields, createClient } from './client.ts'
import { eventually } from './eventually.ts'
import { freshDatabase } from './fresh-database.ts'
import { type Lifetime, startService, type TestService } from './service.ts'
import { masterKey, type StoreKind } from './transfers.ts'

export type AwkwardLedger = {
  service: TestService
  /** Everything acme was credited for, with the responses. */
  credited: { award: AwardFields; answer: Answer }[]
}

/** Higher than can be set now: an older version stored them. */
const limitless = { perTx: 2 ** 53 - 1, perPartnerDay: 2 ** 53 - 1, perUserDay: 2 ** 53 - 1 }
const emoji = '\u{1f600}'
const user = 'lan@example.vn'

/** A note and a meta that careless code would change, as bytes of a body. */
const strangeBody = (orderId: string) =>
  `{"tenantId":"t1","orderId":${JSON.stringify(orderId)},"userEmail":"O'Brien+x@Example.COM","amount":9007199254740991,` +
  '"note":"tab\\t, newline\\n, \\u2028, \\"quotes\\", \\\\, ' +
  `${emoji}","meta":{ "nul":"\\u0000", "price":1.10, "big":12345678901234567890, "z":{"b":1,"a":-0}, "e":"${emoji}" }}`

/** A ledger made through the real service, with all values that are hard to export. Its server is stopped. */
export async function anAwkwardLedger(test: Lifetime, kind: StoreKind): Promise<AwkwardLedger> {
  const environment = { MASTER_KEY: masterKey }
  const service = await startService(test, environment, { nodes: 1, database: await freshDatabase(kind) })
  const { acme, globex, clock, operate } = service
  await operate((operator) => setDefaultCaps(operator, limitless))
  const credited: AwkwardLedger['credited'] = []
  async function credit(award: AwardFields): Promise<void> {
    const answer = await acme.award({ userEmail: user, ...award })
    assert.equal(answer.status, 202, answer.text)
    credited.push({ award: { userEmail: user, ...award }, answer })
  }

  for (const orderId of [
    'A1',
    'a1',
    'A1 ',
    emoji.repeat(200),
    'e\u0301',
    '\u00e9',
    "'; --",
    '\\u0000',
    '__proto__',
  ])
    await credit({ orderId, amount: 1000 })
  assert.equal((await acme.awardBytes(strangeBody('strange'))).status, 202)
  await credit({ orderId: 'other tenant', tenantId: 't2', amount: 1999 })
  assert.equal((await globex.award({ userEmail: user, orderId: 'A1', amount: 7000 })).status, 202)

  // The last millisecond of a Vietnam day and the first of the next.
  clock.set(Date.parse('2026-11-15T16:59:59.999Z'))
  await credit({ orderId: 'before midnight' })
  clock.advance(1)
  await credit({ orderId: 'after midnight', note: '', meta: {} })
  // More than one chunk, and users who come back.
  const many = Array.from({ length: 1050 }, (_, index) => ({
    orderId: `many-${index}`,
    userEmail: `user${index % 60}@example.vn`,
    amount: 1000 + index,
  }))
  // A hundred at a time: on a busy machine, a thousand at once would exceed their deadline.
  for (let at = 0; at < many.length; at += 100) await Promise.all(many.slice(at, at + 100).map(credit))

  await operate(async (operator) => changeSettings(operator))
  const namesake = await operate((operator) =>
    createPartner(
      operator,
      {
        partnerId: 'Acme',
        name: `"Ác mế" \\ ${emoji}`,
        tenants: ['T1', 't1', 't1.x'],
        perTx: 0,
        perPartnerDay: 7,
      },
      Buffer.from(masterKey, 'base64'),
    ),
  )
  await operate((operator) => setPartnerCaps(operator, 'Acme', { perTx: 3, perPartnerDay: null }, 't1.x'))
  const client = createClient(service.url, namesake, clock)
  const small = { orderId: 'A1', tenantId: 't1.x', amount: 3500 }
  await eventually('a new key works', async () => (await client.award(small)).status === 202)
  await service.stop()
  return { service, credited }
}

async function changeSettings(operator: Operator): Promise<void> {
  const key = Buffer.from(masterKey, 'base64')
  const second = await createKey(operator, 'globex', key)
  await revokeKey(operator, second.keyId)
  await rotateKey(operator, 'globex', 3_600_000, key)
  await suspendPartner(operator, 'globex')
  await setPartnerRate(operator, 'acme', 9999)
  await setPartnerCaps(operator, 'acme', { perTx: 2 ** 53 - 1, perPartnerDay: undefined }, undefined)
  await setTenantCaps(operator, 't1', 2 ** 53 - 1)
  await setTenantCaps(operator, 't2', 0)
  await allowTenant(operator, 'acme', 't3')
  await denyTenant(operator, 'acme', 't2')
}
