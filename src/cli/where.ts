import { resolve } from 'node:path'
import type { Command } from 'commander'
import { databaseNames } from '../stores/postgres/database-names.ts'
import { terminalSafe } from '../terminal/safe-text.ts'
import { configOf, type DatabaseOptions, withDatabaseOptions } from './open.ts'
import { print } from './output.ts'

/** For scripts, which would have to read `.env` as we do. A password is in none of it. */
export function whereCommand(program: Command): void {
  withDatabaseOptions(program.command('where'))
    .description('print where the ledger is: the path of its file, or its host and database')
    .action((options: DatabaseOptions) => {
      const { database } = configOf(options)
      if (database.kind === 'sqlite') {
        const path = resolve(database.path)
        return print({ path }, options, () => forReader(path))
      }
      const { host, database: name } = databaseNames(database.url)
      print({ host, database: name }, options, () => forReader(`${host}/${name}`))
    })
}

/** A script needs the path as it is; on a terminal, control characters in it do nothing. */
function forReader(text: string): string {
  return process.stdout.isTTY ? terminalSafe(text) : text
}
