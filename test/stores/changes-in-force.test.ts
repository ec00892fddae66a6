import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { allowTenant, denyTenant } from '../../src/partners/allow-tenant.ts'
import type { Operator } from '../../src/partners/operator.ts'
import { setDefaultCaps } from '../../src/partners/set-default-caps.ts'
import { setPartnerCaps } from '../../src/partners/set-partner-caps.ts'
import { resumePartner, suspendPartner } from '../../src/partners/set-partner-status.ts'
import { setTenantCaps } from '../../src/partners/set-tenant-caps.ts'
import { eventually } from '../support/eventually.ts'
import { storeKind } from '../support/fresh-database.ts'
import { integerBelow, randomFrom, seedOf } from '../support/seeded-random.ts'
import { startService } from '../support/service.ts'
import { withRaw } from '../support/transfers.ts'

const caps = (perTx: number) => ({ perTx, perPartnerDay: undefined })

/** A change that allows less, how it is undone, and the entries that only the old settings allow. */
const changes: [
  string,
  (operator: Operator) => Promise<unknown>,
  (o: Operator) => Promise<unknown>,
  string,
][] = [
  ['suspend', (o) => suspendPartner(o, 'acme'), (o) => resumePartner(o, 'acme'), 'true'],
  ['deny', (o) => denyTenant(o, 'acme', 't1'), (o) => allowTenant(o, 'acme', 't1'), "tenant_id = 't1'"],
  [
    'a lower cap of the partner',
    (o) => setPartnerCaps(o, 'acme', caps(7), undefined),
    (o) => setPartnerCaps(o, 'acme', caps(100), undefined),
    'per_tx > 7',
  ],
  [
    'a lower cap of the tenant',
    (o) => setTenantCaps(o, 't1', 900_000),
    (o) => setTenantCaps(o, 't1', 1_000_000),
    "per_user_day > 900000 AND tenant_id = 't1'",
  ],
  [
    'a lower default cap',
    (o) => setDefaultCaps(o, { perPartnerDay: 800_000 }),
    (o) => setDefaultCaps(o, { perPartnerDay: 1_000_000 }),
    'per_partner_day > 800000',
  ],
]

const clients = 12
const rounds = 4

/** Slow enough that awards are decided, and not yet committed, at any moment. */
const slowCommits = `
  CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM pg_sleep(0.005); RETURN NEW; END $$;
  CREATE TRIGGER dawdles BEFORE INSERT ON entries FOR EACH ROW EXECUTE FUNCTION dawdle()`

test('once a change has returned nothing is committed by the old settings, on any node', async (t) => {
  const nodes = storeKind === 'postgres' ? 3 : 1
  const { acme, operate, verify, config } = await startService(t, {}, { nodes })
  const { database } = config
  if (database.kind === 'postgres') await withRaw(database, (raw) => raw.run(slowCommits))

  for (const [what, lower, raise, old] of changes) {
    await t.test(what, (t) =>
      withRaw(database, async (raw) => {
        const random = randomFrom(seedOf(t))
        const count = async () => {
          const [row] = await raw.rows(
            `SELECT count(*) AS n FROM entries WHERE partner_id = 'acme' AND ${old}`,
          )
          return Number(row!.n)
        }
        await operate(raise)
        for (let round = 0; round < rounds; round++) {
          const sender = startSending((orderId, userEmail) =>
            acme.award({ orderId: `${what} ${round} ${orderId}`, userEmail, amount: 1000 }),
          )
          const before = await count()
          await eventually('awards are in flight', async () => (await count()) > before)
          await sleep(integerBelow(random, 20))
          const atReturn = await operate((operator) => lower(operator).then(count))
          await sleep(integerBelow(random, 20))
          await sender.stop()
          equal(await count(), atReturn)
          await operate(raise)
        }
      }),
    )
  }

  await t.test('and the ledger is sound', async () => {
    if (database.kind === 'postgres')
      await withRaw(database, (raw) => raw.run('DROP TRIGGER dawdles ON entries'))
    equal((await verify()).fault, null)
  })
})

/** Clients that send one award after the other. */
function startSending(send: (orderId: string, userEmail: string) => Promise<unknown>) {
  let stopped = false
  const sending = Array.from({ length: clients }, async (_, client) => {
    for (let n = 0; !stopped; n++) await send(`${client}-${n}`, `user-${client}@example.com`)
  })
  return {
    async stop() {
      stopped = true
      await Promise.all(sending)
    },
  }
}
