import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openStore } from '../../src/stores/open.ts'
import { eventually } from '../support/eventually.ts'
import { aChange } from '../support/operators.ts'
import { anOrder } from '../support/sqlite-ledger.ts'
import { aStoreLedger } from '../support/store-ledger.ts'
import { anEmptyDatabase, exportOf, importStream, withRaw } from '../support/transfers.ts'
import { awardTogether } from '../support/award-together.ts'

test('a change during an import waits for its end, and comes after it', async (t) => {
  const source = await aStoreLedger(t)
  await awardTogether(source.store.ledger, [anOrder('A1')])
  const file = Buffer.from(await exportOf(source.database))
  const target = await anEmptyDatabase(t, 'postgres')
  const importing = await openStore(target)
  const operating = await openStore(target)

  let settled = false
  let change: Promise<unknown> | undefined
  async function* withChange(): AsyncGenerator<Uint8Array> {
    yield file.subarray(0, 100)
    const by = aChange({ actor: 'somebody new', action: 'tenant caps', at: 1 })
    change = operating.partners
      .changeTenant('t1', by, (before) => ({ ...before!, perUserDay: 5 }))
      .finally(() => {
        settled = true
      })
    await withRaw(target, (raw) =>
      eventually('the change waits', async () => {
        const waiting = await raw.rows(`
          SELECT 1 FROM pg_locks JOIN pg_database ON pg_database.oid = database
          WHERE NOT granted AND datname = current_database()`)
        return waiting.length > 0 || settled
      }),
    )
    assert.equal(settled, false)
    yield file.subarray(100)
  }
  await importStream(importing, withChange())
  await change
  const [tenant] = await operating.partners.tenants()
  assert.equal(tenant!.perUserDay, 5)
  const rows = await withRaw(target, (raw) => raw.rows('SELECT actor FROM audit ORDER BY audit_seq'))
  assert.deepEqual(
    rows.map(({ actor }) => actor),
    ['serve', 'test', 'test', 'test', 'test', 'somebody new'],
  )
  await importing.close()
  await operating.close()
})
