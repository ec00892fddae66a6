import assert from 'node:assert/strict'
import { copyFileSync, existsSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { emptyAccount } from '../../src/rules/entry.ts'
import { entryHash } from '../../src/rules/entry-hash.ts'
import { type EntryRow, entryOf, entrySelection } from '../../src/stores/entry-row.ts'
import { type Lifetime, temporaryFolder } from './service.ts'
import { anOrder, openSqliteLedger, verifyFile } from './sqlite-ledger.ts'

export const dayMs = 86_400_000

export const lan = 'lan@example.vn'
export const minh = 'minh@example.vn'
const awards = [
  anOrder('A1', { userEmail: lan, amount: 3999, note: 'for Lan', meta: '{"shop": 1.10}' }),
  anOrder('A2', { userEmail: minh, amount: 5000 }),
  anOrder('G1', { partnerId: 'globex', userEmail: lan, amount: 4000 }),
  anOrder('B1', { tenantId: 't2', userEmail: lan, amount: 2000 }),
  anOrder('A3', { userEmail: lan, amount: 1000 }),
]
const awardsOfTheNextDay = [
  anOrder('A4', { userEmail: lan, amount: 6000 }),
  anOrder('G2', { partnerId: 'globex', userEmail: minh, amount: 7000 }),
  anOrder('A5', { userEmail: minh, amount: 8000 }),
]
/** The chain of acme/t1, where most forgeries are made: #1 A1, #2 A2, #3 A3, and on the next day #4 A4, #5 A5. */
export const [a1, a2, a3, a4, a5] = ['A1', 'A2', 'A3', 'A4', 'A5'].map(
  (order) => anOrder(order).epTransactionId,
)

type LedgerToForge = {
  /** The untouched one. */
  path: string
  folder: string
  /** Changes a copy of the file, as someone with full access could; returns the fault that is found. */
  faultAfter(tamper: Tampering): Promise<string>
}

export type Tampering = (database: DatabaseSync) => void

/** A ledger of three accounts and two days, made through the real store, to be changed without it. */
export async function makeLedgerToForge(test: Lifetime): Promise<LedgerToForge> {
  const folder = temporaryFolder(test)
  const path = join(folder, 'ledger.db')
  const { store, clock, close } = await openSqliteLedger(test, path)
  for (const award of awards) {
    await store.ledger.award(award)
    clock.advance(1000)
  }
  clock.advance(dayMs)
  for (const award of awardsOfTheNextDay) await store.ledger.award(award)
  await close()
  assert.equal(existsSync(`${path}-wal`), false, 'the file is complete without its log')

  let copies = 0
  return {
    path,
    folder,
    async faultAfter(tamper) {
      const copy = join(folder, `tampered-${++copies}.db`)
      copyFileSync(path, copy)
      const database = new DatabaseSync(copy)
      database.exec('PRAGMA ignore_check_constraints = ON')
      withoutTriggers(database, tamper)
      database.close()
      const { sound, fault } = await verifyFile(copy)
      assert.equal(sound, false, 'found sound')
      assert.doesNotMatch(fault!, /@|lan|minh|example/i, 'a fault names nobody')
      return fault!
    },
  }
}

/** Drops the triggers and creates them again afterwards, so that nothing shows that they were gone. */
export function withoutTriggers(database: DatabaseSync, tamper: Tampering): void {
  const triggers = database.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all()
  for (const { name } of triggers) database.exec(`DROP TRIGGER ${name}`)
  tamper(database)
  for (const { sql } of triggers) database.exec(String(sql))
}

export function sql(text: string): Tampering {
  return (database) => {
    const { changes } = database.prepare(text).run()
    assert.ok(changes > 0, `changed nothing: ${text}`)
  }
}

/** Recomputes every chain and its head from the entries, as a forger with the source code would. */
export function rehash(database: DatabaseSync): void {
  const rows = database
    .prepare(`SELECT ${entrySelection} FROM entries ORDER BY partner_id, tenant_id, seq`)
    .all()
  const chains = Map.groupBy(
    (rows as EntryRow[]).map(entryOf),
    (entry) => `${entry.partnerId} ${entry.tenantId}`,
  )
  for (const chain of chains.values()) {
    let head = emptyAccount.headHash
    for (const entry of chain) {
      head = entryHash(entry, head)
      database
        .prepare('UPDATE entries SET hash = ? WHERE ep_transaction_id = ?')
        .run(head, entry.epTransactionId)
    }
    const { partnerId, tenantId } = chain[0]!
    database
      .prepare('UPDATE accounts SET head_hash = ? WHERE partner_id = ? AND tenant_id = ?')
      .run(head, partnerId, tenantId)
  }
}

export function rehashed(text: string): Tampering {
  return (database) => {
    sql(text)(database)
    rehash(database)
  }
}

/** Recomputes the heads of the chains and the users' counters from the entries as they are now. */
export function recount(database: DatabaseSync): void {
  database.exec(`
    UPDATE accounts SET
      seq = (SELECT max(seq) FROM entries WHERE partner_id = accounts.partner_id AND tenant_id = accounts.tenant_id),
      awarded_at = (SELECT max(awarded_at) FROM entries WHERE partner_id = accounts.partner_id AND tenant_id = accounts.tenant_id);
    UPDATE accounts SET
      day = (awarded_at + 25200000) / 86400000;
    UPDATE accounts SET
      day_points = (SELECT sum(points) FROM entries WHERE partner_id = accounts.partner_id AND tenant_id = accounts.tenant_id
                    AND (awarded_at + 25200000) / 86400000 = accounts.day);
    DELETE FROM user_days;
    INSERT INTO user_days SELECT tenant_id, user_email, (awarded_at + 25200000) / 86400000, sum(points)
      FROM entries GROUP BY 1, 2, 3;
  `)
}
