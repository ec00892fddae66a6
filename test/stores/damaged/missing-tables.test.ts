import { equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { onCitus } from '../../support/fresh-database.ts'
import { aStoreLedger } from '../../support/store-ledger.ts'

/** What somebody removed, and the name that verify says. */
const removals: [string, RegExp][] = [
  ['DROP TABLE operator_tokens', /operator_tokens/],
  ['DROP TABLE default_caps', /default_caps/],
  ['DROP TABLE audit_head', /audit_head/],
  // On Citus a command without this table names it, and ends before there is anything to verify.
  ...(onCitus ? [] : ([['DROP TABLE user_days', /user_days/]] satisfies [string, RegExp][])),
  ['ALTER TABLE entries RENAME COLUMN salt TO other', /entries/],
  ['ALTER TABLE entries RENAME COLUMN user_day_total TO other', /entries/],
  ['ALTER TABLE keys RENAME COLUMN revoked_at TO other', /keys/],
]
for (const [removal, name] of removals) {
  test(`${removal}: verify finds the ledger not sound, and names it`, async (t) => {
    const { raw, verify } = await aStoreLedger(t)
    equal((await verify()).sound, true)
    await raw.run(removal)
    const { sound, fault } = await verify()
    equal(sound, false)
    match(fault!, name)
    match(fault!, /Restore a backup|changed from outside|missing/)
  })
}
