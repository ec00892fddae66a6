import { versionIsMissing } from '../audit-event.ts'
import type { Client } from './database.ts'

type Constraint = { table: string; definition: string; isValid: boolean }
type Trigger = { table: string; name: string; definition: string; enabled: string; isInternal: boolean }
type Column = { table: string; name: string; type: string; notNull: boolean }

/** What the proofs rely on, as PostgreSQL itself writes it. */
const constraints: Record<string, string[]> = {
  accounts: ['CHECK ((day_points >= 0))', 'PRIMARY KEY (partner_id, tenant_id)'],
  entries: [
    'CHECK ((points >= 1))',
    'CHECK ((seq >= 1))',
    'CHECK (((salt IS NOT NULL) OR (commitment IS NOT NULL)))',
    'PRIMARY KEY (partner_id, tenant_id, seq)',
    'UNIQUE (partner_id, order_id)',
  ],
  user_days: ['CHECK ((points >= 0))', 'PRIMARY KEY (tenant_id, user_email, day)'],
  audit: ['CHECK ((audit_seq >= 1))', 'PRIMARY KEY (audit_seq)'],
}

/** The table and the function of each are in its text. */
const triggers: Record<string, string> = {
  entries_are_never_changed:
    'BEFORE DELETE OR UPDATE ON entries FOR EACH ROW EXECUTE FUNCTION refuse_change()',
  entries_are_never_emptied: 'BEFORE TRUNCATE ON entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()',
  audit_is_never_changed:
    'BEFORE DELETE OR UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()',
  audit_is_never_emptied:
    'BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()',
}

const functionBodies: Record<string, string> = {
  refuse_change: "BEGIN RAISE EXCEPTION 'entries are append-only'; END",
  refuse_audit_change: "BEGIN RAISE EXCEPTION 'the audit trail is append-only'; END",
}

/** Every column but these must have a value. */
const nullable = new Set(['salt', 'commitment', 'note', 'meta', 'before', 'reason', 'address'])
const texts = new Set([
  ...['partner_id', 'tenant_id', 'order_id', 'user_email', 'note', 'meta'],
  ...['actor', 'action', 'subject', 'before', 'after', 'reason', 'origin', 'address'],
])
const bytes = new Set(['salt', 'commitment', 'hash', 'head_hash', 'previous_hash'])
const columnCounts: Record<string, number> = { accounts: 7, entries: 20, user_days: 4, audit: 12 }

const remedy =
  'the database was changed from outside. Restore a backup, or export it and import it into a new one'
const provedTables = Object.keys(constraints)
/** What operators set lives in the others: a trigger there could keep a change from the nodes. */
const allTables = [
  ...provedTables,
  ...['partners', 'tenants', 'grants', 'keys', 'default_caps'],
  ...['audit_head', 'settings_version', 'keepsakes', 'migrations'],
]
/** The tables that an unqualified name means here. */
const tablesNamed = (names: string[]) => `
  (SELECT * FROM pg_class
   WHERE relname IN ('${names.join("', '")}') AND pg_table_is_visible(oid) AND relkind IN ('r', 'p'))`
const ourTables = tablesNamed(provedTables)

/** What is missing or changed among the tables, constraints and triggers that the proofs rely on; null if nothing is. */
export async function layoutFault(client: Client): Promise<string | null> {
  // Whatever the role's setting is, definitions are compared as they are written above.
  await client.query('SET quote_all_identifiers = off')
  return (
    (await tableFault(client)) ??
    (await constraintFault(client)) ??
    (await triggerFault(client)) ??
    (await columnFault(client)) ??
    (await versionFault(client)) ??
    (await encodingFault(client))
  )
}

async function tableFault(client: Client): Promise<string | null> {
  const { rows } = await client.query(`
    SELECT relname AS name, relpersistence <> 'p' AS "isVolatile",
      relrowsecurity OR EXISTS (SELECT FROM pg_rewrite WHERE ev_class = tables.oid)
        OR relkind = 'r' AND EXISTS (SELECT FROM pg_inherits WHERE inhparent = tables.oid) AS "isOther"
    FROM ${tablesNamed(allTables)} AS tables`)
  const missing = allTables.find((table) => !rows.some(({ name }) => name === table))
  if (missing !== undefined) return `the table ${missing} is missing, or is no table any more: ${remedy}`
  const other = rows.find(({ isOther }) => isOther)
  if (other !== undefined)
    return `the table ${other.name} has rules, row security or child tables that are not ours: ${remedy}`
  const volatile = rows.find(({ isVolatile }) => isVolatile)
  if (volatile === undefined) return null
  return `the table ${volatile.name} is unlogged, and a crash would empty it: ALTER TABLE ${volatile.name} SET LOGGED`
}

async function constraintFault(client: Client): Promise<string | null> {
  const { rows } = await client.query(`
    SELECT tables.relname AS "table", pg_get_constraintdef(con.oid) AS definition,
      con.convalidated AND coalesce(ind.indisvalid AND ind.indisready AND ind.indislive, true) AS "isValid"
    FROM pg_constraint AS con JOIN ${ourTables} AS tables ON tables.oid = con.conrelid
      LEFT JOIN pg_index AS ind ON ind.indexrelid = con.conindid`)
  const found = rows as Constraint[]
  for (const [table, definitions] of Object.entries(constraints)) {
    for (const definition of definitions) {
      const same = found.find((other) => other.table === table && other.definition === definition)
      if (same === undefined) return `${table} lacks its constraint ${definition}: ${remedy}`
      if (!same.isValid)
        return `the constraint ${definition} of ${table} is not valid: REINDEX or validate it`
    }
  }
  return null
}

/** 'O' fires in an ordinary session; 'A' always. */
const enabledStates = ['O', 'A']

async function triggerFault(client: Client): Promise<string | null> {
  const { rows } = await client.query(`
    SELECT tables.relname AS "table", tgname AS name, pg_get_triggerdef(trg.oid) AS definition,
      tgenabled AS enabled, tgisinternal AS "isInternal"
    FROM pg_trigger AS trg JOIN ${tablesNamed(allTables)} AS tables ON tables.oid = trg.tgrelid`)
  const found = rows as Trigger[]
  for (const [name, definition] of Object.entries(triggers)) {
    const trigger = found.find((other) => other.name === name && definition.includes(` ON ${other.table} `))
    if (trigger === undefined) return `the trigger ${name} is missing: ${remedy}`
    if (!enabledStates.includes(trigger.enabled)) return `the trigger ${name} is disabled: enable it`
    // The name of the schema stands there only where it is not the first of the search path.
    if (
      !trigger.definition
        .replaceAll(/\b\w+\.(?=entries\b|audit\b|refuse_(audit_)?change\b)/g, '')
        .endsWith(definition)
    )
      return `the trigger ${name} is not as the migrations made it: ${remedy}`
  }
  const added = found.find(
    ({ name, isInternal }) => !isInternal && triggers[name] === undefined && !isOfCitus(name),
  )
  if (added !== undefined)
    return `the trigger ${added.name} on ${added.table} is not ours: find out who made it, and drop it`
  return functionFault(client)
}

function isOfCitus(name: string): boolean {
  return /^(truncate_trigger|citus_)/.test(name)
}

async function functionFault(client: Client): Promise<string | null> {
  const { rows } = await client.query(`
    SELECT proname AS name, prosrc AS body FROM pg_proc JOIN pg_trigger ON tgfoid = pg_proc.oid
      JOIN ${ourTables} AS tables ON tables.oid = tgrelid
    WHERE tgname IN ('${Object.keys(triggers).join("', '")}')`)
  const changed = rows.find(
    ({ name, body }) => body.replaceAll(/\s+/g, ' ').trim().replace(/;$/, '') !== functionBodies[name],
  )
  if (changed === undefined) return null
  return `the function ${changed.name}, which keeps a table append-only, was changed: ${remedy}`
}

async function columnFault(client: Client): Promise<string | null> {
  const { rows } = await client.query(`
    SELECT tables.relname AS "table", attname AS name, format_type(atttypid, atttypmod) AS type,
      attnotnull AS "notNull"
    FROM pg_attribute JOIN ${ourTables} AS tables ON tables.oid = attrelid
    WHERE attnum > 0 AND NOT attisdropped`)
  const found = rows as Column[]
  for (const [table, count] of Object.entries(columnCounts)) {
    if (found.filter((column) => column.table === table).length !== count)
      return `${table} has not the columns that the migrations made: ${remedy}`
  }
  const wrong = found.find(
    ({ name, type, notNull }) => type !== typeOf(name) || notNull === nullable.has(name),
  )
  if (wrong === undefined) return null
  return `the column ${wrong.name} of ${wrong.table} is not as the migrations made it: ${remedy}`
}

function typeOf(column: string): string {
  if (column === 'ep_transaction_id') return 'uuid'
  return texts.has(column) ? 'text' : bytes.has(column) ? 'bytea' : 'bigint'
}

async function versionFault(client: Client): Promise<string | null> {
  const { rows } = await client.query('SELECT 1 FROM settings_version WHERE only_row = 1')
  return rows.length === 1 ? null : versionIsMissing
}

async function encodingFault(client: Client): Promise<string | null> {
  const { rows } = await client.query("SELECT current_setting('server_encoding') AS encoding")
  const { encoding } = rows[0]
  return encoding === 'UTF8' ? null : `the database's encoding is ${encoding}, not UTF8: ${remedy}`
}
