import { versionFaultOf } from '../audit-event.ts'
import { partnerStatements } from '../partner-statements.ts'
import { Database } from './database.ts'
import { migrate } from './migrate.ts'

type Part = { type: string; name: string; table: string; sql: string }

/** Cached for the life of the process: the migrations do not change while it runs. */
let wanted: Part[] | undefined

/**
 * What is missing or changed among the tables, indexes and triggers that the migrations make: without the triggers entries
 * can be changed, without the unique index an order can be credited twice. Returns the first difference in words.
 *
 * A table's constraints (keys, CHECK, NOT NULL, STRICT) are part of its text. An added index or table is harmless, unless
 * it can refuse what we write; an added trigger may not be.
 */
export function layoutFault(database: Database): string | null {
  wanted ??= partsAsMigrated()
  const found = partsOf(database)
  for (const part of wanted) {
    const same = found.find(({ type, name }) => type === part.type && name === part.name)
    if (same === undefined) return `the ${part.type} ${part.name} is missing: ${remedy}`
    if (same.table !== part.table || textOf(same) !== textOf(part))
      return `the ${part.type} ${part.name} is not as the migrations made it: ${remedy}`
  }
  // A trigger can have the name of a table.
  const added = found.filter(
    ({ type, name }) => !wanted!.some((part) => part.type === type && part.name === name),
  )
  const trigger = added.find(({ type }) => type === 'trigger')
  if (trigger !== undefined)
    return `the trigger ${trigger.name} on ${trigger.table} is not ours: find out who made it, and drop it`
  const refusing = added.find((part) => canRefuse(database, part))
  if (refusing !== undefined)
    return `the ${refusing.type} ${refusing.name} is not ours, and can refuse awards or changes: find out who made it, and drop it`
  const row = database.prepare(partnerStatements.selectSettingsVersion).get()
  const versionFault = versionFaultOf(row?.version as string | undefined)
  if (versionFault !== null) return versionFault
  const encoding = database.prepare('PRAGMA encoding').get()?.encoding
  return encoding === 'UTF-8' ? null : `the database's encoding is ${encoding}, not UTF-8: ${remedy}`
}

/**
 * A unique index of a table of ours refuses rows, one of an expression those for which it cannot be computed, and one in an
 * order that SQLite does not know all of them. A table that refers to one of ours prevents that rows are deleted there.
 */
function canRefuse(database: Database, { type, name, table }: Part): boolean {
  const isOurs = (other: unknown) =>
    wanted!.some((part) => part.type === 'table' && part.name === String(other).toLowerCase())
  if (type === 'table') {
    const references = database.prepare('SELECT "table" FROM pragma_foreign_key_list(?)').all(name)
    return references.some((reference) => isOurs(reference.table))
  }
  const rule = database.prepare(`
    SELECT 1 FROM pragma_index_list(?) WHERE name = ? AND ("unique" OR partial)
    UNION ALL SELECT 1 FROM pragma_index_xinfo(?)
      WHERE cid = -2 OR upper(coll) NOT IN ('BINARY', 'NOCASE', 'RTRIM')`)
  return type === 'index' && isOurs(table) && rule.get(table, name, name) !== undefined
}

const remedy =
  'the database was changed from outside. Restore a backup, or make it again as in src/stores/sqlite/migrations, and run verify'

function partsAsMigrated(): Part[] {
  const database = new Database(':memory:')
  try {
    migrate(database)
    return partsOf(database)
  } finally {
    database.close()
  }
}

/** Indexes of constraints have no text of their own. A trigger of the type `TRIGGER` fires, too. */
function partsOf(database: Database): Part[] {
  return database
    .prepare(`SELECT lower(type) AS type, name, tbl_name AS "table", coalesce(sql, '') AS sql FROM sqlite_schema
      ORDER BY lower(type) = 'trigger' DESC, lower(type), name`)
    .all() as Part[]
}

function textOf({ sql }: Part): string {
  return sql.replace(/\s+/g, ' ').trim()
}
