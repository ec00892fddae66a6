/**
 * The two stores can be read side by side: a job that both have is in a file of the same name. These files (or folders)
 * are in one store only, each with the reason. A file that is in neither list has to be in both stores.
 */
const aloneInSqlite: Record<string, string> = {
  'threads/':
    'SQLite blocks its caller, so that the writer, the reader and the checkpointer have threads of their own',
  'follower/':
    'the journal is in a file of its own, which belongs to a thread; on PostgreSQL it is tables of the same database',
  'file/': 'the database is a file, which can be moved, linked, or used by another program',
  'checkpoints.ts':
    'our code decides when the write-ahead log is copied into the database; PostgreSQL does it by itself',
  'log.ts': 'as checkpoints.ts',
  'log-counts.ts': 'as checkpoints.ts',
  'known-accounts.ts':
    'one connection writes all awards, so that accounts can be cached until another connection writes to the file',
  'numbered-parameters.ts': 'the shared statements number their parameters as PostgreSQL does',
  'storage-check.ts': 'SQLite has an integrity check; PostgreSQL has none without the extension amcheck',
  'until-not-busy.ts': "a file has one writer, and some of SQLite's statements do not wait for it",
}

const aloneInPostgres: Record<string, string> = {
  'batch-kind.ts': 'PostgreSQL and Citus need different statements; SQLite has one kind of batch',
  'batch-statements.ts': 'as batch-kind.ts: what both kinds have to provide',
  'many-accounts.ts': 'as batch-kind.ts: the statements for PostgreSQL',
  'constraints.ts': 'as table-columns.ts',
  'table-columns.ts': 'SQLite keeps the text of a table, and the whole of it is compared',
  'choose-batches.ts': 'as batch-kind.ts: which of the two it is',
  'citus/': 'only PostgreSQL can be distributed over several machines',
  'distribute.ts': 'as citus/',
  'pipeline.ts': 'statements travel over a network, several in one round trip',
  'entry-ranges.ts': 'as pipeline.ts: one statement reads the entries of many accounts',
  'entries-at.ts': 'as entry-ranges.ts',
  'days-by-block.ts': "without the read model of SQLite's follower, a report reads every entry",
  'breaker.ts': 'the outcome of a COMMIT can be unknown: the connection breaks, or the standby is away',
  'commit-confirmation.ts': 'as breaker.ts',
  'crowd.ts': 'several nodes compete for the same rows',
  'lock-waits.ts': 'as crowd.ts',
  'node-turns.ts': 'as crowd.ts',
  'pass-accounts.ts': 'awards run beside a change of settings; SQLite has one writer at a time',
  'first-of.ts': 'one connection may hang while another works; a file is read on one',
  'settings-watch.ts': 'the server notifies of changed settings; a file cannot',
  'pooler-check.ts': 'a pooler may stand between the service and the server',
  'added-rules.ts': 'in SQLite the constraints are part of the text of a table, which layout.ts compares',
  'ledger-schemas.ts': 'a SQLite file has no schemas',
  'stay-with-ledger.ts': 'as ledger-schemas.ts',
  'ledger-tables.ts': 'as ledger-schemas.ts',
  'table-check.ts': 'in SQLite a table is always logged and has no row security',
  'checked-client.ts': 'SQLite is not behind a network',
  'silent-connections.ts': 'as checked-client.ts',
  'lock-retries.ts': 'awards run beside a migration; on SQLite it takes the place of the server',
  'clock-difference.ts': "the server may have another machine's clock",
  'journal-retention.ts': 'in SQLite it belongs to the follower',
  'check-alerts.ts': 'as journal-retention.ts',
  'why-unreachable.ts': 'the server may be unreachable',
  'database-names.ts': 'a server has a host, and names of its own',
  'failure-codes.ts': 'as why-unreachable.ts: which of its errors a statement did not cause',
}

const stores = [
  { folder: 'src/stores/sqlite/', other: 'src/stores/postgres/', alone: aloneInSqlite },
  { folder: 'src/stores/postgres/', other: 'src/stores/sqlite/', alone: aloneInPostgres },
]

/** Files without their counterpart, and reasons that no longer apply. */
export function unmatchedStoreFiles(paths: string[]): string[] {
  const all = new Set(paths.filter((path) => path.endsWith('.ts') && !path.endsWith('.test.ts')))
  return stores.flatMap(({ folder, other, alone }) => {
    const names = [...all].filter((path) => path.startsWith(folder)).map((path) => path.slice(folder.length))
    const reasonOf = (name: string) => alone[name] ?? alone[`${name.split('/')[0]}/`]
    const unmatched = names.filter((name) => !all.has(other + name) && reasonOf(name) === undefined)
    const matched = names.filter((name) => all.has(other + name) && reasonOf(name) !== undefined)
    return [
      ...unmatched.map(
        (name) => `${folder}${name} is not in ${other}: use the same name, or give the reason`,
      ),
      ...matched.map((name) => `${folder}${name} is in ${other}, too: remove it from the list`),
    ]
  })
}
