import assert from 'node:assert/strict'
import { test } from 'node:test'
import { emptyAccount, type Entry } from '../../src/rules/entry.ts'
import { entryHash } from '../../src/rules/entry-hash.ts'
import { awardTogether } from '../support/award-together.ts'
import { anOrder } from '../support/sqlite-ledger.ts'
import { aStoreLedger, type StoreLedger } from '../support/store-ledger.ts'
import { openSnapshot } from '../../src/stores/open.ts'

/** Changes the table while PostgreSQL does not update this index; afterwards it is marked as valid again. */
async function whileIndexIsAway(
  { raw }: StoreLedger,
  index: string,
  work: () => Promise<void>,
): Promise<void> {
  const set = (value: boolean) =>
    raw.run(
      `UPDATE pg_index SET indisvalid = ${value}, indisready = ${value} WHERE indexrelid = '${index}'::regclass`,
    )
  await set(false)
  await work()
  await set(true)
}

const bytes = (value: Uint8Array) => `decode('${Buffer.from(value).toString('hex')}', 'hex')`

test('an order credited twice is found where the index of orders does not know', async (t) => {
  const ledger = await aStoreLedger(t)
  await awardTogether(ledger.store.ledger, [anOrder('A1'), anOrder('A2'), anOrder('A3')])
  const snapshot = await openSnapshot(ledger.database)
  const chain: Entry[] = (await Array.fromAsync(snapshot.entries())).flat()
  await snapshot.close()
  await ledger.raw.run('ALTER TABLE entries DISABLE TRIGGER entries_are_never_changed')
  await whileIndexIsAway(ledger, 'entries_by_order', async () => {
    let head = emptyAccount.headHash
    for (const entry of chain) {
      const orderId = entry.orderId === 'A3' ? 'A1' : entry.orderId
      head = entryHash({ ...entry, orderId }, head)
      await ledger.raw.run(
        `UPDATE entries SET order_id = '${orderId}', hash = ${bytes(head)} WHERE seq = ${entry.seq}`,
      )
    }
    await ledger.raw.run(`UPDATE accounts SET head_hash = ${bytes(head)} WHERE seq > 0`)
  })
  await ledger.raw.run('ALTER TABLE entries ENABLE TRIGGER entries_are_never_changed')
  const { sound, fault } = await ledger.verify()
  assert.deepEqual({ sound, fault }, { sound: false, fault: 'acme: the order "A1" is credited twice' })
})

test('an entry that the primary key does not lead to is found', async (t) => {
  const ledger = await aStoreLedger(t)
  await awardTogether(ledger.store.ledger, [anOrder('A1'), anOrder('A2')])
  await whileIndexIsAway(ledger, 'entries_pkey', () =>
    ledger.raw.run(`
      INSERT INTO entries SELECT partner_id, 't2', seq, ep_transaction_id, order_id || '-hidden', user_email, salt,
        commitment, raw_amount, amount_per_ep, points, note, meta, awarded_at, per_tx, per_partner_day, per_user_day,
        partner_day_total, user_day_total, hash FROM entries WHERE seq = 1`),
  )
  const { sound, fault } = await ledger.verify()
  assert.equal(sound, false)
  assert.match(fault!, /^acme\/t2/)
})
