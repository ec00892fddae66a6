import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { integerBelow, oneOf, type Random } from '../support/seeded-random.ts'
import { anOrder, openSqliteLedger } from '../support/sqlite-ledger.ts'

const accounts = [
  { partnerId: 'acme', tenantId: 't1' },
  { partnerId: 'acme', tenantId: 't2' },
  { partnerId: 'globex', tenantId: 't1' },
]
const notes = [null, '', 'for Lan', 'Tết\u{1f9e7}', '\ufffd']

/** A small sound ledger, made by the real store: some accounts, users and days. Gives its path. */
export async function makeBaseLedger(folder: string, name: string, random: Random): Promise<string> {
  const path = join(folder, `${name}.db`)
  rmSync(path, { force: true })
  const ledger = await openSqliteLedger({ after: () => {} }, path)
  const days = 1 + integerBelow(random, 3)
  for (let day = 0; day < days; day++) {
    const count = 1 + integerBelow(random, 6)
    for (let n = 0; n < count; n++) {
      const note = oneOf(random, notes)
      await ledger.store.ledger.award(
        anOrder(`${oneOf(random, ['o', 'O', 'ố', '\ufffd'])}-${day}-${n}`, {
          ...oneOf(random, accounts),
          userEmail: `user${integerBelow(random, 3)}@example.vn`,
          amount: 1000 + integerBelow(random, 9000),
          note,
          meta: random() < 0.3 ? '{"shop": 1.10}' : null,
        }),
      )
      ledger.clock.advance(1 + integerBelow(random, 5000))
    }
    ledger.clock.advance(86_400_000)
  }
  await ledger.close()
  return path
}
