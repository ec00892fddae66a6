/** What this file asks of a connection. */
type Queryable = { prepare(sql: string): { get(): Record<string, unknown> | undefined } }

/** Older releases could, very rarely, corrupt a WAL database when two connections checkpointed at once. */
const versionMin = '3.51.3'

/** SQLite ignores a setting that it cannot apply, so both are read back: without them COMMIT would not be durable. */
export function assertDurable(database: Queryable): void {
  assertSetting(database, 'journal_mode', 'wal')
  assertSetting(database, 'synchronous', 2)
}

function assertSetting(database: Queryable, name: string, wanted: string | number): void {
  const actual = database.prepare(`PRAGMA ${name}`).get()?.[name]
  if (actual !== wanted) {
    throw new Error(
      `SQLite reports ${name} = ${actual}, but ${wanted} is needed: is the folder on a local disk?`,
    )
  }
}

export function assertVersion(database: Queryable): void {
  const version = String(database.prepare('SELECT sqlite_version() AS version').get()?.version)
  if (numberOf(version) < numberOf(versionMin)) {
    throw new Error(
      `SQLite ${versionMin} or newer is needed, this is ${version}: run it with the Node of npm install`,
    )
  }
}

/** 3.51.3 → 3051003, as SQLite counts. */
function numberOf(version: string): number {
  return version.split('.').reduce((number, part) => number * 1000 + Number(part), 0)
}
