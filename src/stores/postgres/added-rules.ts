import { constraints, references } from './constraints.ts'

/** A constraint or an index that can refuse a row of `table`, or a change of one. */
export type Rule = { table: string; kind: string; name: string; definition: string }

/** Their values are at most a few hundred bytes long. The types of all others, but numbers, have no limit that we know. */
const shortTexts = [
  ...['partner_id', 'tenant_id', 'user_email', 'status', 'mode', 'role', 'name', 'actor', 'action', 'origin'],
  ...['key_id', 'api_key_hash', 'operator_id', 'token_id', 'token_hash'],
  ...[
    'hash',
    'previous_hash',
    'head_hash',
    'salt',
    'commitment',
    'sealed_secret',
    'password_hash',
    'address',
  ],
]
/** Up to 800 and 2,000 bytes. PostgreSQL refuses a row for which an index would have an entry of more than 2,704 bytes. */
const longTexts = ['order_id', 'note']

/**
 * A btree may have one of the long ones, and nothing that may be longer. One of hashes has no limit for them. Other kinds have
 * limits that depend on the rows, a column may be in an index several times, and an operator class of somebody may do anything.
 */
const isNotPlain = `(
  SELECT amname NOT IN ('btree', 'hash') FROM pg_class JOIN pg_am ON pg_am.oid = relam WHERE pg_class.oid = ind.indexrelid)
  OR EXISTS (
    SELECT FROM pg_opclass JOIN pg_namespace ON pg_namespace.oid = opcnamespace
    WHERE pg_opclass.oid = ANY (ind.indclass::oid[]) AND nspname <> 'pg_catalog')
  OR EXISTS (SELECT FROM pg_catalog.unnest(ind.indkey::int2[]) AS key GROUP BY key HAVING count(*) > 1)
  OR EXISTS (
    SELECT FROM pg_catalog.unnest(ind.indkey::int2[]) AS key
      JOIN pg_attribute ON attrelid = ind.indrelid AND attnum = key
      JOIN pg_class ON pg_class.oid = ind.indexrelid JOIN pg_am ON pg_am.oid = relam
    WHERE amname = 'btree' AND format_type(atttypid, atttypmod) IN ('text', 'bytea')
      AND attname NOT IN (${quoted(shortTexts)})
    HAVING count(*) > 1 OR bool_or(attname NOT IN (${quoted(longTexts)})))`

function quoted(names: string[]): string {
  return names.map((name) => `'${name}'`).join(', ')
}

/**
 * Everything that can refuse rows, for tables that are given as rows of pg_class: constraints, foreign keys of other
 * tables that refer to them, and indexes that are unique, must compute something, have entries that may be too large, or are of a kind that may refuse rows.
 * NOT NULL, which PostgreSQL 18 lists as a constraint, and triggers are checked elsewhere.
 */
export const rulesQuery = (tables: string) => `
  SELECT tables.relname AS "table", 'constraint' AS kind, conname AS name, pg_get_constraintdef(con.oid) AS definition
  FROM pg_constraint AS con JOIN (${tables}) AS tables ON tables.oid = con.conrelid
  WHERE contype NOT IN ('n', 't')
  UNION ALL
  SELECT tables.relname, 'foreign key', conname, conrelid::regclass::text || ' ' || pg_get_constraintdef(con.oid)
  FROM pg_constraint AS con JOIN (${tables}) AS tables ON tables.oid = con.confrelid
  WHERE contype = 'f'
  UNION ALL
  SELECT tables.relname, 'index', ind.indexrelid::regclass::text, pg_get_indexdef(ind.indexrelid)
  FROM pg_index AS ind JOIN (${tables}) AS tables ON tables.oid = ind.indrelid
  WHERE (indisunique OR indexprs IS NOT NULL OR indpred IS NOT NULL OR ${isNotPlain})
    AND NOT EXISTS (SELECT FROM pg_constraint WHERE conindid = indexrelid AND conrelid = indrelid)`

/** A rule that is not of the migrations. A second constraint that is the same as one of ours refuses nothing more. */
export function addedRuleFault(rules: Rule[]): string | null {
  const added = rules.find((rule) => !isOurs(rule) && !replacesOneOf(rules, rule))
  if (added === undefined) return null
  return `the ${added.kind} ${added.name} on ${added.table} is not ours, and can refuse awards or changes: find out who made it, and drop it`
}

function isOurs({ table, definition }: Rule): boolean {
  return [constraints, references].some((known) => known[table]?.includes(definition))
}

/**
 * REINDEX CONCURRENTLY builds a second unique index of the same columns, and leaves it behind if it was cancelled. On Citus,
 * commit.ts knows by its name which index it stands for: with any other name, an award that loses a race would fail.
 */
function replacesOneOf(rules: Rule[], { table, name, definition }: Rule): boolean {
  const columns = definition.match(/^CREATE UNIQUE INDEX .* USING btree (\([^()]*\))$/s)?.[1]
  return rules.some(
    (other) =>
      other.table === table &&
      other.name === name.replace(/_cc(new|old)\d*$/, '') &&
      [`PRIMARY KEY ${columns}`, `UNIQUE ${columns}`].includes(other.definition),
  )
}
