import { Unavailable } from '../../ledger/errors.ts'
import type { Client } from './database.ts'
import { hiddenTable, ordersAreUnique, unloggedProblem, unloggedTable } from './layout.ts'
import { neededPrivileges } from './self-check.ts'

export type TableFacts = {
  /** A table that awards use and the search path does not find; null: there is none. */
  missingTable: string | null
  /** A table of ours that a crash would empty; null: there is none. */
  unloggedTable: string | null
  /** A table of ours of which the role may not see every row; null: there is none. */
  hiddenTable: string | null
  /** Whether the database itself refuses a second entry for an order. */
  ordersAreUnique: boolean
}

/**
 * Refuses tables from which lost awards or a second credit would follow; verify looks for the rest. Only for a ledger that
 * is migrated: the tables of another application may have the same names.
 */
export async function checkTables(client: Client): Promise<void> {
  const { rows } = await client.query(`
    SELECT ${missingTable} AS "missingTable", ${unloggedTable} AS "unloggedTable",
      ${hiddenTable} AS "hiddenTable", ${ordersAreUnique} AS "ordersAreUnique"`)
  const problem = tableProblem(rows[0])
  if (problem !== null) throw new Unavailable(`the database cannot be used: ${problem}`)
}

/** Without USAGE on their schema, no name leads to the tables. */
const missingTable = `
  (SELECT min(name) FROM (VALUES ${Object.keys(neededPrivileges)
    .map((table) => `('${table}'::text)`)
    .join(', ')}) AS needed (name) WHERE to_regclass(name) IS NULL)`

export function tableProblem(facts: TableFacts): string | null {
  if (facts.missingTable !== null)
    return `the role no longer finds the table ${facts.missingTable}: GRANT it USAGE on the ledger's schema, or set its search_path back`
  if (facts.unloggedTable !== null) return unloggedProblem(facts.unloggedTable)
  if (facts.hiddenTable !== null)
    return `row security hides rows of the table ${facts.hiddenTable} from the role: ALTER TABLE ${facts.hiddenTable} DISABLE ROW LEVEL SECURITY`
  if (!facts.ordersAreUnique)
    return 'the table entries lacks its constraint UNIQUE (partner_id, order_id): run verify, then add it again'
  return null
}
