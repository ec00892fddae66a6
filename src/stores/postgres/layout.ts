import { versionFaultOf } from '../audit-event.ts'
import { partnerStatements } from '../partner-statements.ts'
import { addedRuleFault, type Rule, rulesQuery } from './added-rules.ts'
import { constraints } from './constraints.ts'
import type { Client } from './database.ts'
import { type Column, columnFaultIn, columnsQuery } from './table-columns.ts'

type Constraint = { table: string; definition: string; isValid: boolean }
type Trigger = {
  table: string
  name: string
  definition: string
  enabled: string
  /** Made by PostgreSQL for a foreign key, or by Citus: both call functions of the system's own schema only. */
  isOfSystem: boolean
  function: string
  body: string
}
type Table = { name: string; isVolatile: boolean; isOther: boolean }

/** Catalog rows that describe the tables. */
export type LayoutRows = {
  tables: Table[]
  constraints: Constraint[]
  triggers: Trigger[]
  columns: Column[]
  rules: Rule[]
}

/** The text of each names its table and its function. */
const triggers: Record<string, string> = {
  entries_are_never_changed:
    'BEFORE DELETE OR UPDATE ON entries FOR EACH ROW EXECUTE FUNCTION refuse_change()',
  entries_are_never_emptied: 'BEFORE TRUNCATE ON entries FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()',
  audit_is_never_changed:
    'BEFORE DELETE OR UPDATE ON audit FOR EACH ROW EXECUTE FUNCTION refuse_audit_change()',
  audit_is_never_emptied:
    'BEFORE TRUNCATE ON audit FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()',
  tenant_mode_is_never_changed:
    'BEFORE UPDATE OF mode ON tenants FOR EACH ROW EXECUTE FUNCTION refuse_mode_change()',
}

const functionBodies: Record<string, string> = {
  refuse_change: "BEGIN RAISE EXCEPTION 'entries are append-only'; END",
  refuse_audit_change: "BEGIN RAISE EXCEPTION 'the audit trail is append-only'; END",
  refuse_mode_change: "BEGIN RAISE EXCEPTION 'the mode of a tenant never changes'; END",
}

const remedy =
  'the database was changed from outside. Restore a backup, or make it again as in src/stores/postgres/migrations, and run verify'
const allTables = Object.keys(constraints)
/** The tables that an unqualified name resolves to. Not a partitioned one: its partitions may have triggers of their own. */
const ourTables = `
  SELECT * FROM pg_class
  WHERE relname IN ('${allTables.join("', '")}') AND pg_table_is_visible(oid) AND relkind = 'r'`

export const unloggedProblem = (table: string) =>
  `the table ${table} is unlogged, and a crash would empty it: ALTER TABLE ${table} SET LOGGED`

/** The first of our tables for which `condition` is true; null if there is none. */
const firstTable = (condition: string) =>
  `(SELECT min(relname::text) FROM (${ourTables}) AS tables WHERE ${condition})`

/** A server looks for these all the time, because lost awards or a second credit would follow; verify looks for the rest. */
export const unloggedTable = firstTable("relpersistence <> 'p'")
export const hiddenTable = firstTable('row_security_active(oid)')
export const ordersAreUnique = `
  EXISTS (
    SELECT FROM pg_index
    WHERE indrelid = to_regclass('entries')::oid AND indisunique AND indimmediate AND indisvalid AND indpred IS NULL
      AND indnkeyatts = 2
      AND 2 = (SELECT count(*) FROM pg_attribute
        WHERE attrelid = indrelid AND attnum IN (indkey[0], indkey[1]) AND attname IN ('partner_id', 'order_id')))`

/** Reads what `layoutFaultIn` checks, for tables that are given as rows of pg_class. */
export const layoutQueries = {
  tables: (tables: string) => `
    SELECT relname AS name, relpersistence <> 'p' AS "isVolatile",
      relrowsecurity OR relispartition OR EXISTS (SELECT FROM pg_rewrite WHERE ev_class = tables.oid)
        OR EXISTS (SELECT FROM pg_inherits WHERE inhparent = tables.oid) AS "isOther"
    FROM (${tables}) AS tables`,
  constraints: (tables: string) => `
    SELECT tables.relname AS "table", pg_get_constraintdef(con.oid) AS definition,
      con.convalidated AND coalesce(
        ind.indisvalid AND ind.indisready AND ind.indislive AND ind.indisunique AND ind.indimmediate, true) AS "isValid"
    FROM pg_constraint AS con JOIN (${tables}) AS tables ON tables.oid = con.conrelid
      LEFT JOIN pg_index AS ind ON ind.indexrelid = con.conindid`,
  triggers: (tables: string) => `
    SELECT tables.relname AS "table", tgname AS name, pg_get_triggerdef(trg.oid) AS definition,
      tgenabled AS enabled, proname AS "function", prosrc AS body,
      pronamespace = 'pg_catalog'::regnamespace::oid AND (tgisinternal
        OR EXISTS (SELECT FROM pg_depend JOIN pg_extension ON pg_extension.oid = refobjid
          WHERE classid = 'pg_proc'::regclass::oid AND objid = tgfoid
            AND refclassid = 'pg_extension'::regclass::oid
            AND deptype = 'e' AND extname = 'citus')) AS "isOfSystem"
    FROM pg_trigger AS trg JOIN (${tables}) AS tables ON tables.oid = trg.tgrelid
      JOIN pg_proc ON pg_proc.oid = tgfoid`,
  columns: columnsQuery,
  rules: rulesQuery,
}

/** What is missing or changed among the tables, constraints and triggers that the proofs rely on; null if nothing is. */
export async function layoutFault(client: Client): Promise<string | null> {
  // Independent of the role's setting, so that definitions have the notation that is used above.
  await client.query('SET quote_all_identifiers = off')
  const rowsOf = async (sql: (tables: string) => string) => (await client.query(sql(ourTables))).rows
  const found: LayoutRows = {
    tables: await rowsOf(layoutQueries.tables),
    constraints: await rowsOf(layoutQueries.constraints),
    triggers: await rowsOf(layoutQueries.triggers),
    columns: await rowsOf(layoutQueries.columns),
    rules: await rowsOf(layoutQueries.rules),
  }
  return (
    layoutFaultIn(found, allTables) ??
    (await silentTriggersFault(client, found)) ??
    (await versionFault(client)) ??
    (await encodingFault(client))
  )
}

/** The same for rows that were read before. `expected` are the tables that should be among them. */
export function layoutFaultIn(found: LayoutRows, expected: string[]): string | null {
  return (
    tableFault(found, expected) ??
    constraintFault(found, expected) ??
    triggerFault(found, expected) ??
    columnFaultIn(found.columns, expected, remedy) ??
    addedRuleFault(found.rules)
  )
}

function tableFault({ tables }: LayoutRows, expected: string[]): string | null {
  const missing = expected.find((table) => !tables.some(({ name }) => name === table))
  if (missing !== undefined) return `the table ${missing} is missing, or is no table any more: ${remedy}`
  const other = tables.find(({ isOther }) => isOther)
  if (other !== undefined)
    return `the table ${other.name} has rules, row security or child tables that are not ours, or is itself a part of another table: ${remedy}`
  const volatile = tables.find(({ isVolatile }) => isVolatile)
  if (volatile === undefined) return null
  return unloggedProblem(volatile.name)
}

function constraintFault({ constraints: found }: LayoutRows, expected: string[]): string | null {
  for (const [table, definitions] of Object.entries(constraints)) {
    if (!expected.includes(table)) continue
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

function triggerFault({ triggers: found }: LayoutRows, expected: string[]): string | null {
  const ours = Object.entries(triggers).filter(([, definition]) =>
    expected.some((table) => definition.includes(` ON ${table} `)),
  )
  for (const [name, definition] of ours) {
    const trigger = found.find((other) => other.name === name && definition.includes(` ON ${other.table} `))
    if (trigger === undefined) return `the trigger ${name} is missing: ${remedy}`
    if (!enabledStates.includes(trigger.enabled)) return `the trigger ${name} is disabled: enable it`
    // PostgreSQL includes the schema's name only if it is not the first in the search path.
    if (
      !trigger.definition
        .replaceAll(/(\b\w+|"([^"]|"")+")\.(?=(entries|audit|tenants|refuse_((audit|mode)_)?change)\b)/g, '')
        .endsWith(definition)
    )
      return `the trigger ${name} is not as the migrations made it: ${remedy}`
    if (plainBody(trigger) !== functionBodies[trigger.function])
      return `the function ${trigger.function}, which refuses changes of a table, was changed: ${remedy}`
  }
  const added = found.find((trigger) => !(trigger.isOfSystem || isOurs(trigger)))
  if (added === undefined) return null
  return `the trigger ${added.name} on ${added.table} is not ours: find out who made it, and drop it`
}

/** The same name on another table is somebody else's. */
function isOurs({ name, table }: Trigger): boolean {
  return Object.hasOwn(triggers, name) && triggers[name]!.includes(` ON ${table} `)
}

function plainBody({ body }: Trigger): string {
  return body.replaceAll(/\s+/g, ' ').trim().replace(/;$/, '')
}

async function silentTriggersFault(client: Client, found: LayoutRows): Promise<string | null> {
  const { rows } = await client.query(`SELECT ${replicationRole} AS role`)
  return silentTriggersFaultIn(found, rows[0].role)
}

export const replicationRole = "current_setting('session_replication_role')"

/** A setting of the role or the database, made for a replication tool: only triggers that are enabled ALWAYS fire then. */
export function silentTriggersFaultIn({ triggers: found }: LayoutRows, role: string): string | null {
  if (role !== 'replica' || found.every((trigger) => !isOurs(trigger) || trigger.enabled === 'A')) return null
  return 'session_replication_role is replica, so that the triggers which keep entries append-only do not fire: ALTER ROLE or ALTER DATABASE … RESET session_replication_role'
}

async function versionFault(client: Client): Promise<string | null> {
  const { rows } = await client.query(partnerStatements.selectSettingsVersion)
  return versionFaultOf(rows[0]?.version)
}

async function encodingFault(client: Client): Promise<string | null> {
  const { rows } = await client.query("SELECT current_setting('server_encoding') AS encoding")
  const { encoding } = rows[0]
  return encoding === 'UTF8' ? null : `the database's encoding is ${encoding}, not UTF8: ${remedy}`
}
