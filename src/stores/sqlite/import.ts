import { randomInt } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { columnOf } from '../columns.ts'
import { counterQueries } from '../counter-queries.ts'
import type { ImportTarget } from '../store.ts'
import { type CarriedKind, carriedKinds, carriedTables, type Row } from '../transfer/carried-tables.ts'
import { type Database, openDatabase } from './database.ts'
import { lockForServing } from './file/server-lock.ts'
import { snapshotOn } from './snapshot.ts'

/** Fills an empty ledger on its own connection. It holds the server lock, so that no server runs or can start. */
export async function importInto<T>(path: string, work: (target: ImportTarget) => Promise<T>): Promise<T> {
  const lock = lockForServing(realpathSync(path))
  const database = openDatabase(path)
  try {
    database.exec('BEGIN IMMEDIATE')
    assertEmpty(database, path)
    const result = await work({
      insert: async (kind, rows) => insertRows(database, kind, rows),
      rebuildCounters: async () => {
        for (const sql of counterQueries) database.exec(sql)
      },
      snapshot: snapshotOn(database),
    })
    // Like any change by an operator, so that servers notice it.
    database.exec('UPDATE settings_version SET version = version + 1')
    database.exec('UPDATE partners SET changed_in = (SELECT version FROM settings_version)')
    // The entries are in another order than before: a read model of the same ledger must not take it for its own.
    database.exec(`PRAGMA user_version = ${randomInt(1, 2 ** 31)}`)
    database.exec('COMMIT')
    return result
  } finally {
    database.close() // what was not committed is gone
    lock.release()
  }
}

function assertEmpty(database: Database, path: string): void {
  // The row of defaults always exists; if they were set, there is an audit row.
  const tables = carriedKinds.filter((kind) => kind !== 'defaults').map((kind) => carriedTables[kind].table)
  const filled = tables.find(
    (table) => database.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() !== undefined,
  )
  if (filled !== undefined) {
    throw new Error(`${path} is not empty (it has ${filled}): an import needs a database of its own`)
  }
}

function insertRows(database: Database, kind: CarriedKind, rows: Row[]): void {
  const { table, fields } = carriedTables[kind]
  if (kind === 'defaults') database.exec('DELETE FROM default_caps')
  const names = Object.keys(fields)
  const insert = database.prepare(
    `INSERT INTO ${table} (${names.map(columnOf).join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
  )
  for (const row of rows) insert.run(...names.map((name) => row[name]!))
}
