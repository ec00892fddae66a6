import type { Database } from '../database.ts'

/** Of one statement: calling SQLite for each row costs as much as the row. */
const rowsMax = 64

type Row = (string | number)[]

/**
 * Rows in the order of the table's key are faster: each of its pages is looked up once. `onConflict` is the rest of the
 * statement.
 */
export function prepareInsertRows(
  database: Database,
  { table, columns, onConflict = '' }: { table: string; columns: number; onConflict?: string },
): (rows: Row[]) => void {
  const row = `(${Array(columns).fill('?').join(', ')})`
  const insert = (rows: number) =>
    database.prepare(`INSERT INTO ${table} VALUES ${Array(rows).fill(row).join(', ')} ${onConflict}`)
  const [many, one] = [insert(rowsMax), insert(1)]
  return (rows) => {
    const inMany = rows.length - (rows.length % rowsMax)
    for (let at = 0; at < inMany; at += rowsMax) many.run(...rows.slice(at, at + rowsMax).flat())
    for (const values of rows.slice(inMany)) one.run(...values)
  }
}
