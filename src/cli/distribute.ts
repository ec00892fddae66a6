import type { Command } from 'commander'
import { distributeStore } from '../stores/open.ts'
import { configOf, type DatabaseOptions, withDatabaseOptions } from './open.ts'
import { print } from './output.ts'

export function distributeCommand(program: Command): void {
  withDatabaseOptions(program.command('distribute'))
    .description('distribute a migrated database over the nodes of a Citus cluster; safe to repeat')
    .action(async (options: DatabaseOptions) => {
      const distributed = await distributeStore(configOf(options).database)
      print({ distributed }, options, () =>
        distributed.length === 0
          ? 'all tables are distributed already'
          : `distributed: ${distributed.join(', ')}`,
      )
    })
}
