import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openKeyDirectory } from '../../../src/access/key-directory.ts'
import { revokeKey } from '../../../src/partners/revoke-key.ts'
import { openStore } from '../../../src/stores/open.ts'
import { eventually } from '../../support/eventually.ts'
import { aMasterKey, makePartner } from '../../support/operators.ts'
import { aStoreLedger } from '../../support/store-ledger.ts'
import { aNoon } from '../../support/test-clock.ts'

const beyond = '9223372036854775807'

/** What somebody wrote into the rows of one partner, whether its key still works, and what is logged. */
const damages: [string, boolean, RegExp | null][] = [
  [`keys SET expires_at = ${beyond}`, false, /^Error: the expiry of key_\w+ is not a time/],
  ['keys SET expires_at = 8640000000000001', false, /^Error: the expiry of key_\w+ is not a time/],
  [`keys SET revoked_at = ${beyond}`, false, null],
  [`keys SET created_at = ${beyond}`, true, null],
  [
    `partners SET requests_per_second = ${beyond}`,
    false,
    /^Error: the request rate of initech is not a number of ours/,
  ],
  [`partners SET per_tx = ${beyond}, created_at = ${beyond}`, true, null],
  [`grants SET per_partner_day = ${beyond}`, true, null],
  [`partners SET changed_in = ${beyond}`, true, null],
  ['partners SET changed_in = 9007199254740993', true, null],
  ['partners SET changed_in = -1', true, null],
]
for (const [damage, works, logged] of damages) {
  test(`UPDATE ${damage}: a server that reads all partners again still notices what became of the others`, async (t) => {
    const { database, operator, raw } = await aStoreLedger(t)
    const hooli = await makePartner(operator, { partnerId: 'hooli' })
    const initech = await makePartner(operator, { partnerId: 'initech' })
    const store = await openStore(database)
    t.after(() => store.close())
    const { changedPartners, settingsVersion } = store.partners
    // As if each change came with another database: all partners are read.
    const source = { changedPartners, settingsVersion: () => settingsVersion(null) }
    const errors: string[] = []
    const keys = await openKeyDirectory(source, aMasterKey, (error) => errors.push(String(error)))
    t.after(() => keys.close())
    const isKnown = ({ apiKey }: { apiKey: string }) => keys.find(apiKey, aNoon).caller() !== undefined
    assert.ok(isKnown(hooli) && isKnown(initech))

    await raw.run(`UPDATE ${damage} WHERE partner_id = 'initech'`)
    await revokeKey(operator, hooli.keyId)
    await eventually('the revoked key is gone', () => !isKnown(hooli))
    assert.equal(isKnown(initech), works)

    const umbrella = await makePartner(operator, { partnerId: 'umbrella' })
    await eventually('the next change is noticed', () => isKnown(umbrella))
    assert.equal(isKnown(initech), works)
    assert.equal(errors.length, logged === null ? 0 : 1, errors.join('\n'))
    if (logged !== null) assert.match(errors[0]!, logged)
  })
}
