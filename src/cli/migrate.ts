import type { Command } from 'commander'
import { migrateStore } from '../stores/open.ts'
import { configOf, type DatabaseOptions, withDatabaseOptions } from './open.ts'
import { print } from './output.ts'

export function migrateCommand(program: Command): void {
  withDatabaseOptions(program.command('migrate'))
    .description('bring a ledger up to the layout of this program; can be run again')
    .action(async (options: DatabaseOptions) => {
      const { database } = configOf(options)
      const migrated = await migrateStore(database)
      print({ migrated }, options, () =>
        migrated.length === 0 ? 'nothing was missing' : `migrated: ${migrated.join(', ')}`,
      )
    })
}
