import { equal } from 'node:assert/strict'
import { test } from 'node:test'
import { type DirectorySource, openKeyDirectory } from '../../src/access/key-directory.ts'
import { eventually } from '../support/eventually.ts'
import { aMasterKey, makePartner } from '../support/operators.ts'
import { aStoreLedger } from '../support/store-ledger.ts'
import { aNoon } from '../support/test-clock.ts'

/** Two databases with different histories of the same length; in each, initech has another key. */
for (const later of [0, 1]) {
  test(`when another database takes the place of ours between two polls, ${later} changes ahead, only its keys count`, async (t) => {
    const [ours, other] = [await aStoreLedger(t), await aStoreLedger(t)]
    const before = await makePartner(ours.operator, { partnerId: 'initech' })
    const after = await makePartner(other.operator, { partnerId: 'initech' })
    for (let number = 1; number <= later; number++)
      await makePartner(other.operator, { partnerId: `later-${number}` })
    equal(
      (await other.store.partners.settingsVersion(null)).number,
      (await ours.store.partners.settingsVersion(null)).number + later,
    )

    let { partners } = ours.store
    const source: DirectorySource = {
      settingsVersion: (known) => partners.settingsVersion(known),
      changedPartners: (...page) => partners.changedPartners(...page),
    }
    const keys = await openKeyDirectory(source, aMasterKey, () => {})
    const isKnown = ({ apiKey }: { apiKey: string }) => keys.find(apiKey, aNoon).caller() !== undefined
    equal(isKnown(before), true)
    partners = other.store.partners
    try {
      await eventually('only the other key is known', () => isKnown(after) && !isKnown(before))
    } finally {
      keys.close()
    }
  })
}
