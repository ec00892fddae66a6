import type { Client } from './database.ts'
import { ledgerColumns, ledgerTables } from './ledger-tables.ts'

type LedgerSchemas = {
  /** Where the search path finds a ledger, whole or not; null: nowhere. */
  found: string | null
  /** Where new tables would be made; null: nowhere. */
  here: string | null
  /** What the role and the database set. */
  path: string
  role: string
  /** Every schema of the database that holds a ledger: the catalog also shows those that the role may not use. */
  ledgers: LedgerSchema[]
  /** Those that hold a part of one. */
  parts: LedgerSchema[]
}

type LedgerSchema = { schema: string; isUsable: boolean; missing: string[] }

async function readSchemas(client: Client): Promise<LedgerSchemas> {
  const { rows } = await client.query(`
    SELECT current_schema() AS here, current_user AS role,
      (SELECT reset_val FROM pg_settings WHERE name = 'search_path') AS path,
      (SELECT nspname::text FROM pg_namespace WHERE oid =
        (SELECT relnamespace FROM pg_class WHERE oid = to_regclass('migrations')::oid)) AS found`)
  const holding = await client.query(`
    SELECT nspname::text AS schema, has_schema_privilege(schema.oid, 'USAGE'::text) AS "isUsable",
      ARRAY(SELECT relname::text FROM pg_class WHERE relnamespace = schema.oid AND relkind = 'r'
        AND relname IN ('${ledgerTables.join("', '")}')) AS tables
    FROM pg_namespace AS schema
    WHERE EXISTS (SELECT FROM pg_class JOIN pg_attribute ON attrelid = pg_class.oid
      WHERE relnamespace = schema.oid AND relkind = 'r' AND NOT attisdropped
        AND (relname, attname) IN (${ledgerColumns.map(([table, column]) => `('${table}', '${column}')`).join(', ')}))
    ORDER BY 1`)
  const schemas: LedgerSchema[] = holding.rows.map(({ schema, isUsable, tables }) => ({
    schema,
    isUsable,
    missing: ledgerTables.filter((table) => !tables.includes(table)),
  }))
  return {
    ...rows[0],
    // Other programs have a table migrations, too.
    found: schemas.some(({ schema }) => schema === rows[0].found) ? rows[0].found : null,
    ledgers: schemas.filter(({ missing }) => missing.length === 0),
    parts: schemas.filter(({ missing }) => missing.length > 0),
  }
}

/**
 * An empty ledger in another schema, or an older copy, would credit every order once more. So a search path may lead past no
 * ledger: not past the only one, nor past one that the role may not use or that has lost a table. `known`: the schema in
 * which a server has found the ledger before, whatever the path is now.
 */
export async function assertNoOtherLedger(client: Client, known: string | null): Promise<void> {
  const schemas = await readSchemas(client)
  if (schemas.found === null) assertNotElsewhere(schemas)
  else if (known === null) assertNonePassedOver(schemas, schemas.found)
}

/** A schema that the role may not use belongs to somebody else, unless it is where the role looks first. */
function assertNotElsewhere({ here, path, role, ledgers, parts }: LedgerSchemas): void {
  const names = namesOf(path, role)
  const at = here === null ? -1 : names.indexOf(here)
  const passedOver = at === -1 ? names : names.slice(0, at)
  const closed = ledgers.find(({ schema, isUsable }) => !isUsable && passedOver.includes(schema))
  if (closed !== undefined)
    throw new Error(`the ledger is in the schema ${closed.schema}, ${noUsage(closed.schema, role)}`)
  const other = ledgers.find(({ isUsable }) => isUsable)
  if (other !== undefined)
    throw new Error(
      `the ledger is in the schema ${other.schema}, and the search_path ${path} leads to ${here === null ? 'no schema' : `the schema ${here}`}: set the search_path of the role and the database back to ${other.schema} (ALTER ROLE … SET search_path). For a second ledger, use a database of its own`,
    )
  const part = parts.find(({ schema, isUsable }) => isUsable && names.includes(schema))
  if (part !== undefined)
    throw new Error(
      `the schema ${part.schema} ${partOf(part)}: restore it, or, if it is no ledger of yours, remove it`,
    )
}

function assertNonePassedOver({ path, role, ledgers, parts }: LedgerSchemas, found: string): void {
  const names = namesOf(path, role)
  const passedOver = names.slice(0, Math.max(0, names.indexOf(found)))
  const other = [...ledgers, ...parts].find(({ schema }) => passedOver.includes(schema))
  if (other === undefined) return
  const { schema, isUsable } = other
  const problem = isUsable ? `${partOf(other)}: restore it` : `holds a ledger, but ${noUsage(schema, role)}`
  throw new Error(
    `the schema ${schema} comes before ${found} in the search_path ${path}. It ${problem}. Or, if the ledger is the one in ${found}, set the search_path to ${found} (ALTER ROLE … SET search_path = ${quoted(found)})`,
  )
}

/** For a ledger of which no migration is recorded: a structure that was copied without its rows. `migrate` cannot make it again. */
export async function assertNoStructureAlone(client: Client): Promise<void> {
  const { found, path, ledgers } = await readSchemas(client)
  if (found === null) return
  const other = ledgers.find(({ schema, isUsable }) => isUsable && schema !== found)
  const instead =
    other === undefined
      ? ''
      : `. Or, if the ledger is the one in ${other.schema}, set the search_path to ${other.schema} (ALTER ROLE … SET search_path = ${quoted(other.schema)})`
  throw new Error(
    `the schema ${found}, to which the search_path ${path} leads, has tables of a ledger, and its table migrations shows no row, as in a copy without rows: restore it, or, if it is no ledger of yours, remove it${instead}`,
  )
}

const partOf = ({ missing }: LedgerSchema) =>
  `holds a part of a ledger, without ${missing.length === 1 ? 'its table' : 'its tables'} ${missing.join(', ')}`

/** For a command that found no ledger: one may be where the role may not look. Null: there is none. */
export async function hiddenLedger(client: Client): Promise<string | null> {
  const { role, ledgers } = await readSchemas(client)
  const hidden = ledgers.find(({ isUsable }) => !isUsable)
  if (hidden === undefined) return null
  return `if you mean the ledger in the schema ${hidden.schema}, ${noUsage(hidden.schema, role)}`
}

/**
 * With a second ledger beside the one in use, it depends on the search path which one it is. Two of them may be wanted,
 * each with a role of its own; one role that may use both is more likely an accident, such as a restored copy.
 */
export async function otherLedgerWarnings(client: Client): Promise<string[]> {
  const { found, path, ledgers } = await readSchemas(client)
  if (found === null) return []
  return ledgers
    .filter(({ schema, isUsable }) => isUsable && schema !== found)
    .map(
      ({ schema }) =>
        `the schema ${schema} also holds a ledger that the role may use. This is the one in the schema ${found}, because the search_path is ${path}: with another search_path, every order could be credited once more. REVOKE USAGE on the schema ${schema} from the role, or remove it`,
    )
}

/**
 * Behind a pooler in transaction mode, no session stays where it was led (`stayWithLedger`): each transaction may get one that
 * looks along the whole path. So the path itself has to begin with the ledger.
 */
export async function assertPathBeginsWithLedger(client: Client): Promise<void> {
  const { path, role, ledgers } = await readSchemas(client)
  const usable = ledgers.filter(({ isUsable }) => isUsable).map(({ schema }) => schema)
  const [first] = namesOf(path, role)
  if (usable.length === 0 || (first !== undefined && usable.includes(first))) return
  throw new Error(
    `DATABASE_URL leads to a pooler in transaction mode, where any transaction may look for the ledger along the search_path, and that is ${path}: set it to the ledger's schema (ALTER ROLE ${quoted(role)} SET search_path = ${quoted(usable[0]!)}), and let the pooler open new sessions`,
  )
}

const noUsage = (schema: string, role: string) =>
  `the role ${role} lacks USAGE on it: GRANT USAGE ON SCHEMA ${quoted(schema)} TO ${quoted(role)}`

const quoted = (name: string) => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`)

/** The schemas of a search_path, as PostgreSQL reads it. */
export function namesOf(path: string, role: string): string[] {
  return [...path.matchAll(/"((?:[^"]|"")*)"|[^,\s]+/g)].map(([text, inQuotes]) => {
    const name =
      inQuotes?.replaceAll('""', '"') ?? text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())
    return name === '$user' ? role : atMost63Bytes(name)
  })
}

function atMost63Bytes(name: string): string {
  const bytes = new Uint8Array(63)
  const { written } = new TextEncoder().encodeInto(name, bytes)
  return new TextDecoder().decode(bytes.subarray(0, written))
}
