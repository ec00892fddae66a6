import assert from 'node:assert/strict'
import { test } from 'node:test'
import pino from 'pino'
import { openKeyDirectory } from '../../../src/access/key-directory.ts'
import { Damaged } from '../../../src/ledger/errors.ts'
import { createPartner } from '../../../src/partners/create-partner.ts'
import { suspendPartner } from '../../../src/partners/set-partner-status.ts'
import { serve } from '../../../src/serve.ts'
import { openStore } from '../../../src/stores/open.ts'
import { createClient } from '../../support/client.ts'
import { aMasterKey } from '../../support/operators.ts'
import { openRaw } from '../../support/raw-database.ts'
import { startService } from '../../support/service.ts'
import { aStoreLedger } from '../../support/store-ledger.ts'

const beyond = '9223372036854775807'

const saysSentence = (sentence: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Damaged, String(error))
  assert.match(error.message, sentence)
  return true
}

const inRow = (table: string) => new RegExp(`^a row of ${table} cannot be read: it holds ${beyond}, `)
const inText = new RegExp(`a row of tenants cannot be read: it holds ${beyond}`)
const version = (number: string) => new RegExp(`^settings_version holds the version ${number}, `)
const head = /^the audit trail's head does not fit its rows, .*Run verify/

/** What somebody did to the settings, and what the operator's next change says. */
const damages: [string, RegExp][] = [
  [`UPDATE partners SET per_tx = ${beyond}`, inRow('partners')],
  [`UPDATE grants SET per_tx = ${beyond}`, inRow('grants')],
  [`UPDATE keys SET expires_at = ${beyond}`, inRow('keys')],
  ['DELETE FROM settings_version', /^settings_version has lost its row/],
  ['UPDATE settings_version SET version = 9007199254740991', version('9007199254740991')],
  [`UPDATE settings_version SET version = ${beyond}`, version(beyond)],
  ['UPDATE audit_head SET seq = 9007199254740991', head],
  [`UPDATE audit_head SET seq = ${beyond}`, inRow('audit_head')],
  ['UPDATE audit_head SET seq = 0', head],
  ['DELETE FROM audit_head', head],
]
for (const [damage, sentence] of damages) {
  test(`${damage}: a change is refused in one sentence, and nothing is changed`, async (t) => {
    const { operator, raw } = await aStoreLedger(t)
    await raw.run(damage)
    await assert.rejects(suspendPartner(operator, 'acme'), saysSentence(sentence))
    assert.deepEqual(await raw.rows("SELECT 1 FROM partners WHERE status = 'suspended'"), [])
  })
}

for (const table of ['partners', 'grants', 'keys']) {
  test(`a number beyond 2^53 in ${table} is said in one sentence by whoever reads all partners`, async (t) => {
    const { operator, raw } = await aStoreLedger(t)
    await raw.run(`UPDATE ${table} SET ${table === 'keys' ? 'created_at' : 'per_tx'} = ${beyond}`)
    await assert.rejects(operator.store.partners(), saysSentence(inRow(table)))
  })
}

for (const place of ['settings_version SET version', 'audit_head SET seq']) {
  test(`a number beyond 2^53 in ${place} keeps a server from starting, in one sentence`, async (t) => {
    const { database, raw } = await aStoreLedger(t)
    await raw.run(`UPDATE ${place} = ${beyond}`)
    const store = await openStore(database)
    t.after(() => store.close())
    await assert.rejects(
      openKeyDirectory(store.partners, aMasterKey, () => {}),
      saysSentence(inRow('settings_version or audit_head')),
    )
  })
}

test('a number beyond 2^53 in a tenant: a server starts, says so, and credits in the other tenants', async (t) => {
  const { config, clock, operate, stop } = await startService(t, {}, { nodes: 1 })
  const partner = {
    partnerId: 'hooli',
    name: 'Hooli',
    tenants: ['t1', 't2'],
    perTx: null,
    perPartnerDay: null,
  }
  const hooli = await operate((operator) => createPartner(operator, partner, config.masterKey!))
  await stop()
  const raw = await openRaw(config.database)
  await raw.run(`UPDATE tenants SET per_user_day = ${beyond} WHERE tenant_id = 't2'`)
  await raw.close()
  const log: string[] = []
  const again = await serve(config, {
    clock,
    log: pino({ base: null }, { write: (line) => void log.push(line) }),
  })
  try {
    const client = createClient(again.partnerUrl, hooli, clock)
    assert.equal((await client.award({ tenantId: 't2', orderId: 'A1' })).status, 500)
    assert.equal((await client.award({ tenantId: 't1', orderId: 'A2' })).status, 202)
    assert.ok(
      log.some((line) => inText.test(line)),
      log.join(''),
    )
  } finally {
    await again.stop()
  }
})
