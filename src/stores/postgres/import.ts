import { columnOf } from '../columns.ts'
import { counterQueries } from '../counter-queries.ts'
import type { ImportTarget } from '../store.ts'
import {
  type CarriedKind,
  carriedKinds,
  carriedTables,
  type FieldKind,
  type Row,
} from '../transfer/carried-tables.ts'
import { waitForStandby } from './commit-confirmation.ts'
import { type Client, inLongTransaction, type Pool } from './database.ts'
import { settingsChannel } from './settings-watch.ts'
import { snapshotOn } from './snapshot.ts'

/** The row of defaults always exists. If it was set, there is an audit row. */
const tables = carriedKinds.filter((kind) => kind !== 'defaults').map((kind) => carriedTables[kind].table)
/** A change of settings locks this first, and so does an import. So they cannot deadlock. */
const locked = ['settings_version', 'default_caps', ...tables, 'audit_head', 'accounts', 'user_days']

/** Fills an empty database. A command that would change it meanwhile, or a server that starts on it, waits for the end. */
export async function importInto<T>(pool: Pool, work: (target: ImportTarget) => Promise<T>): Promise<T> {
  return inLongTransaction(pool, async (client) => {
    for (const sql of onOtherNodes) await client.query(sql)
    // Checked before locking: a typo in DATABASE_URL must not block a database that is in use.
    await assertEmpty(client)
    await client.query(`LOCK TABLE ${locked.join(', ')} IN SHARE ROW EXCLUSIVE MODE`)
    await assertEmpty(client)
    const result = await work({
      insert: (kind, rows) => insertRows(client, kind, rows),
      rebuildCounters: () => rebuildCounters(client),
      snapshot: snapshotOn(client),
    })
    // Like any change by an operator, so that running servers notice it.
    await client.query('UPDATE settings_version SET version = version + 1 WHERE only_row = 1')
    await client.query('UPDATE partners SET changed_in = (SELECT version FROM settings_version)')
    await client.query(`NOTIFY ${settingsChannel}`)
    return result
  })
}

/**
 * For Citus; elsewhere nobody reads it. One connection to each node does it all: what several of them have done in
 * parallel, one statement after it could not see together. The nodes, too, wait for their standbys.
 */
const onOtherNodes = [
  "SET LOCAL citus.multi_shard_modify_mode = 'sequential'",
  'SET LOCAL citus.max_adaptive_executor_pool_size = 1',
  "SET LOCAL citus.propagate_set_commands = 'local'",
  waitForStandby,
]

async function assertEmpty(client: Client): Promise<void> {
  for (const table of tables) {
    const { rows } = await client.query(`SELECT 1 FROM ${table} LIMIT 1`)
    if (rows.length > 0) {
      throw new Error(`the database is not empty (it has ${table}): an import needs a database of its own`)
    }
  }
}

const arrayTypes: Record<string, string> = {
  text: 'text[]',
  uuid: 'uuid[]',
  integer: 'bigint[]',
  bytes: 'bytea[]',
}
const arrayType = (kind: FieldKind) => arrayTypes[kind.replace('?', '')]

/** One array for each column. */
async function insertRows(client: Client, kind: CarriedKind, rows: Row[]): Promise<void> {
  const { table, fields } = carriedTables[kind]
  if (kind === 'defaults') await client.query('DELETE FROM default_caps')
  const columns = Object.keys(fields).map(columnOf).join(', ')
  const arrays = Object.values(fields).map((field, index) => `$${index + 1}::${arrayType(field)}`)
  await client.query({
    name: `load-${kind}`,
    text: `INSERT INTO ${table} (${columns}) SELECT * FROM unnest(${arrays.join(', ')})`,
    values: Object.keys(fields).map((field) => rows.map((row) => row[field])),
  })
}

async function rebuildCounters(client: Client): Promise<void> {
  for (const sql of counterQueries) await client.query(sql)
  // The planner's statistics do not know of the new rows yet.
  await client.query('ANALYZE entries, accounts, user_days')
}
