import type { Command } from 'commander'
import { distributeStore } from '../stores/open.ts'
import { shardsArgument } from './arguments.ts'
import { configOf, type DatabaseOptions, warn, withDatabaseOptions } from './open.ts'
import { print } from './output.ts'

export function distributeCommand(program: Command): void {
  withDatabaseOptions(program.command('distribute'))
    .description('distribute a migrated database over the nodes of a Citus cluster; safe to repeat')
    .option('--shards <count>', 'shards of each table, when it is distributed (4)', shardsArgument)
    .action(async (options: DatabaseOptions & { shards?: number }) => {
      const { database } = configOf(options)
      const { spread, broughtBack } = await distributeStore(database, options.shards, warn)
      print({ distributed: spread, broughtBack }, options, () => {
        const lines = [
          ...(spread.length === 0 ? [] : [`distributed: ${spread.join(', ')}`]),
          ...(broughtBack.length === 0 ? [] : [`brought back to the coordinator: ${broughtBack.join(', ')}`]),
        ]
        return lines.length === 0 ? 'all tables are distributed already' : lines.join('\n')
      })
    })
}
