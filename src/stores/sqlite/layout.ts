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
 * A table's constraints (keys, CHECK, NOT NULL, STRICT) are part of its text. An added index is harmless; an added
 * trigger may not be.
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
  const added = found.find(
    // A trigger can have the name of a table.
    ({ type, name }) =>
      type === 'trigger' && !wanted!.some((part) => part.type === type && part.name === name),
  )
  if (added !== undefined)
    return `the trigger ${added.name} on ${added.table} is not ours: find out who made it, and drop it`
  const row = database.prepare(partnerStatements.selectSettingsVersion).get()
  const versionFault = versionFaultOf(row?.version as string | undefined)
  if (versionFault !== null) return versionFault
  const encoding = database.prepare('PRAGMA encoding').get()?.encoding
  return encoding === 'UTF-8' ? null : `the database's encoding is ${encoding}, not UTF-8: ${remedy}`
}

const remedy =
  'the database was changed from outside. Restore a backup, or export it and import it into a new one'

function partsAsMigrated(): Part[] {
  const database = new Database(':memory:')
  try {
    migrate(database)
    return partsOf(database)
  } finally {
    database.close()
  }
}

/** Indexes of constraints have no text of their own. */
function partsOf(database: Database): Part[] {
  return database
    .prepare(`SELECT type, name, tbl_name AS "table", coalesce(sql, '') AS sql FROM sqlite_schema
      ORDER BY type = 'trigger' DESC, type, name`)
    .all() as Part[]
}

function textOf({ sql }: Part): string {
  return sql.replace(/\s+/g, ' ').trim()
}
