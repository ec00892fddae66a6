import type { DatabaseSync } from 'node:sqlite'
import { personalCommitment } from '../../src/rules/entry-hash.ts'
import { type EntryRow, entryColumns, entryOf, entrySelection } from '../../src/stores/entry-row.ts'
import { recount, rehash } from '../support/forged-ledger.ts'
import { integerBelow, oneOf, type Random } from '../support/seeded-random.ts'

/** One thing that somebody with full access does. May throw where a constraint stops it. */
export type Edit = { name: string; apply(database: DatabaseSync, random: Random): void }

const numbers = [
  'seq',
  'raw_amount',
  'amount_per_ep',
  'points',
  'awarded_at',
  'per_tx',
  'per_partner_day',
  'per_user_day',
  'partner_day_total',
  'user_day_total',
]
const texts = ['partner_id', 'tenant_id', 'ep_transaction_id', 'order_id', 'user_email', 'note', 'meta']
const otherTexts = (column: string) => [
  ...(column === 'user_email' ? [`'user0@example.vn'`] : []),
  `${column} || 'x'`,
  `upper(${column})`,
  `${column} || ' '`,
  `${column} || char(0)`,
  `substr(${column}, 2)`,
  `''`,
  `'t1'`,
  `'acme'`,
  `'globex'`,
  `'o-0-0'`,
  `CAST(x'FF' AS TEXT)`,
  `char(65533)`,
]

function places(database: DatabaseSync): number[] {
  return database
    .prepare('SELECT rowid AS place FROM entries ORDER BY rowid')
    .all()
    .map(({ place }) => place as number)
}
function anEntry(database: DatabaseSync, random: Random): number {
  return oneOf(random, places(database))
}
function onEntry(name: string, sql: (random: Random) => string): Edit {
  return {
    name,
    apply: (database, random) => {
      const place = anEntry(database, random)
      database.exec(`UPDATE entries SET ${sql(random)} WHERE rowid = ${place}`)
    },
  }
}
function statement(name: string, sql: (random: Random) => string): Edit {
  return { name, apply: (database, random) => database.exec(sql(random)) }
}
function aRow(random: Random, table: string): string {
  return `(SELECT * FROM ${table} LIMIT 1 OFFSET ${integerBelow(random, 4)})`
}
const someAccount = (random: Random) =>
  `WHERE (partner_id, tenant_id) IN (SELECT partner_id, tenant_id FROM ${aRow(random, 'accounts')})`
const someDay = (random: Random) =>
  `WHERE (tenant_id, user_email, day) IN (SELECT tenant_id, user_email, day FROM ${aRow(random, 'user_days')})`

/** A table again, without its constraints, its rows where they were. */
function freed(database: DatabaseSync): void {
  const isFree = database
    .prepare("SELECT 1 FROM sqlite_schema WHERE name = 'entries' AND sql NOT LIKE '%STRICT%'")
    .get()
  if (isFree !== undefined) return
  database.exec(`CREATE TABLE free (${entryColumns}); INSERT INTO free (rowid, ${entryColumns})
    SELECT rowid, ${entryColumns} FROM entries ORDER BY rowid; DROP TABLE entries; ALTER TABLE free RENAME TO entries`)
}

export const creditedTwice: Edit = {
  name: 'an order credited twice',
  apply(database, random) {
    if (random() < 0.3) freed(database)
    const [a, b] = [anEntry(database, random), anEntry(database, random)]
    database.exec(
      `UPDATE entries SET order_id = (SELECT order_id FROM entries WHERE rowid = ${a}) WHERE rowid = ${b}`,
    )
  },
}

export const edits: Edit[] = [
  onEntry('a number by one', (random) => {
    const column = oneOf(random, numbers)
    return `${column} = ${column} ${oneOf(random, ['+', '-'])} 1`
  }),
  onEntry(
    'a number to anything',
    (random) => `${oneOf(random, numbers)} = ${oneOf(random, ['0', '-1', '1', '9007199254740993', '1000'])}`,
  ),
  onEntry('a text', (random) => {
    const column = oneOf(random, texts)
    return `${column} = ${oneOf(random, otherTexts(column))}`
  }),
  onEntry(
    'a note or meta that was absent',
    (random) => `${oneOf(random, ['note', 'meta'])} = ${oneOf(random, ["''", "'{}'", 'NULL'])}`,
  ),
  onEntry(
    'a salt',
    (random) => `salt = ${oneOf(random, ['zeroblob(16)', 'zeroblob(0)', 'salt || salt', 'substr(salt, 2)'])}`,
  ),
  onEntry('a commitment beside the salt', () => 'commitment = zeroblob(32)'),
  onEntry(
    'a hash',
    (random) => `hash = ${oneOf(random, ['zeroblob(32)', 'substr(hash, 2)', "hash || x'00'"])}`,
  ),
  onEntry(
    'both amounts, so that the points stay',
    (random) => `raw_amount = raw_amount ${oneOf(random, ['+', '-'])} ${integerBelow(random, 900)}`,
  ),
  {
    name: 'another user behind the true commitment',
    apply(database, random) {
      const place = anEntry(database, random)
      const row = database.prepare(`SELECT ${entrySelection} FROM entries WHERE rowid = ?`).get(place)
      const commitment = personalCommitment(entryOf(row as EntryRow))
      const user = oneOf(random, ['thief@example.vn', 'user1@example.vn'])
      database
        .prepare('UPDATE entries SET salt = NULL, commitment = ?, user_email = ? WHERE rowid = ?')
        .run(commitment, user, place)
    },
  },
  {
    name: 'an entry removed',
    apply: (database, random) =>
      database.exec(`DELETE FROM entries WHERE rowid = ${anEntry(database, random)}`),
  },
  {
    name: 'the last entries removed, with their head',
    apply(database, random) {
      const [account] = database.prepare(`SELECT * FROM ${aRow(random, 'accounts')}`).all()
      if (account === undefined) return
      const of = `partner_id = '${account.partner_id}' AND tenant_id = '${account.tenant_id}'`
      const seq = integerBelow(random, Number(account.seq))
      database.exec(`DELETE FROM entries WHERE ${of} AND seq > ${seq}`)
      if (seq === 0) database.exec(`DELETE FROM accounts WHERE ${of}`)
      else
        database.exec(
          `UPDATE accounts SET seq = ${seq}, head_hash = (SELECT hash FROM entries WHERE ${of} AND seq = ${seq}) WHERE ${of}`,
        )
    },
  },
  {
    name: 'an entry copied to the end',
    apply(database, random) {
      const place = anEntry(database, random)
      const values = entryColumns.map((column) =>
        column === 'seq'
          ? '(SELECT max(seq) FROM entries) + 1'
          : column === 'order_id' && random() < 0.5
            ? "'copied'"
            : column,
      )
      database.exec(
        `INSERT INTO entries (${entryColumns}) SELECT ${values} FROM entries WHERE rowid = ${place}`,
      )
    },
  },
  {
    name: 'two entries in each other’s place',
    apply(database, random) {
      const [a, b] = [anEntry(database, random), anEntry(database, random)]
      const column = oneOf(random, ['order_id', 'user_email', 'ep_transaction_id', 'points', 'rowid'])
      if (column === 'rowid') {
        database.exec(`UPDATE entries SET rowid = -1 WHERE rowid = ${a}; UPDATE entries SET rowid = ${a} WHERE rowid = ${b};
          UPDATE entries SET rowid = ${b} WHERE rowid = -1`)
      } else {
        database.exec(
          `CREATE TEMP TABLE held AS SELECT rowid AS place, ${column} AS value FROM entries WHERE rowid IN (${a}, ${b})`,
        )
        if (column === 'order_id') database.exec(`UPDATE entries SET order_id = 'held' WHERE rowid = ${a}`)
        database.exec(
          `UPDATE entries SET ${column} = (SELECT value FROM held WHERE place = ${a}) WHERE rowid = ${b}`,
        )
        database.exec(
          `UPDATE entries SET ${column} = (SELECT value FROM held WHERE place = ${b}) WHERE rowid = ${a}; DROP TABLE held`,
        )
      }
    },
  },
  {
    name: 'an entry at another place in the file',
    apply: (database, random) =>
      database.exec(
        `UPDATE entries SET rowid = ${oneOf(random, [-5, 0, 1000])} WHERE rowid = ${anEntry(database, random)}`,
      ),
  },
  statement('a head by one', (random) => {
    const column = oneOf(random, ['seq', 'awarded_at', 'day', 'day_points'])
    return `UPDATE accounts SET ${column} = ${column} ${oneOf(random, ['+', '-'])} 1 ${someAccount(random)}`
  }),
  statement(
    'a head’s hash',
    (random) => `UPDATE accounts SET head_hash = zeroblob(32) ${someAccount(random)}`,
  ),
  statement('a head removed', (random) => `DELETE FROM accounts ${someAccount(random)}`),
  statement(
    'a head of nothing',
    (random) =>
      `INSERT INTO accounts VALUES ('${oneOf(random, ['acme', 'zz'])}', 't9', ${oneOf(random, ['0', '1', '-1'])}, zeroblob(32), ${oneOf(random, ['0', '1', '99'])}, ${oneOf(random, ['0', '1', '-99'])}, 0)`,
  ),
  statement(
    'a head of another tenant',
    (random) => `UPDATE accounts SET tenant_id = 't9' ${someAccount(random)}`,
  ),
  statement(
    'a counter by one',
    (random) => `UPDATE user_days SET points = points ${oneOf(random, ['+', '-'])} 1 ${someDay(random)}`,
  ),
  statement('a counter removed', (random) => `DELETE FROM user_days ${someDay(random)}`),
  statement(
    'a counter of nothing',
    (random) => `INSERT INTO user_days VALUES ('t1', 'x@example.vn', 5, ${oneOf(random, ['0', '3'])})`,
  ),
  statement(
    'a counter of another user',
    (random) => `UPDATE user_days SET user_email = 'x@example.vn' ${someDay(random)}`,
  ),
  statement(
    'a counter of another day',
    (random) => `UPDATE user_days SET day = day + ${oneOf(random, [-1, 1, 100])} ${someDay(random)}`,
  ),
  statement(
    'a counter split in two',
    (random) =>
      `INSERT OR IGNORE INTO user_days SELECT tenant_id, user_email, day + 1, 1 FROM user_days ${someDay(random)};
     UPDATE user_days SET points = points - 1 ${someDay(random)}`,
  ),
  statement(
    'a partner removed',
    () =>
      `PRAGMA foreign_keys = OFF; DELETE FROM grants WHERE partner_id = 'globex'; DELETE FROM partners WHERE partner_id = 'globex'`,
  ),
  {
    name: 'a table without its constraints',
    apply: (database) => freed(database),
  },
  {
    name: 'values of another type, in a table without its constraints',
    apply(database, random) {
      freed(database)
      const column = oneOf(random, entryColumns)
      const type = oneOf(random, ['TEXT', 'BLOB', 'REAL', 'INTEGER'])
      database.exec(
        `UPDATE entries SET ${column} = CAST(${column} AS ${type}) WHERE rowid = ${anEntry(database, random)}`,
      )
    },
  },
  creditedTwice,
  statement(
    'a trigger that does nothing',
    () => 'CREATE TRIGGER IF NOT EXISTS more AFTER INSERT ON accounts BEGIN SELECT 1; END',
  ),
]

/** What is done afterwards, so that nobody sees it. */
export const coverUps: Edit[] = [
  { name: 'the chains hashed again', apply: rehash },
  { name: 'the counters set again', apply: recount },
]
