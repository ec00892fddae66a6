import type { Command } from 'commander'
import { seedDefaultCaps } from '../partners/seed-default-caps.ts'
import type { Caps } from '../rules/caps.ts'
import { type DatabaseLocation, migrateStore, openStore } from '../stores/open.ts'
import { configOf, type DatabaseOptions, operatorHere, warn, withDatabaseOptions } from './open.ts'
import { print } from './output.ts'

export function migrateCommand(program: Command): void {
  withDatabaseOptions(program.command('migrate'))
    .description('migrate the database to the schema of this version; safe to repeat')
    .action(async (options: DatabaseOptions) => {
      const { database, caps } = configOf(options)
      const migrated = await migrateStore(database, warn)
      await keepCaps(database, caps)
      print({ migrated }, options, () =>
        migrated.length === 0 ? 'nothing to migrate' : `migrated: ${migrated.join(', ')}`,
      )
    })
}

/**
 * In older versions the default caps were settings of each server. If they are set here, this command stores them, as the
 * first server would. A ledger without partners is left to that server, or to an import.
 */
async function keepCaps(database: DatabaseLocation, caps: Partial<Caps>): Promise<void> {
  if (Object.keys(caps).length === 0) return
  const store = await openStore(database, { create: false })
  try {
    const isNew = (await store.partners.partners()).length === 0
    if (isNew && (await store.partners.defaultCaps()).setAt === null) return warn(notStored)
    const warnings = await seedDefaultCaps(operatorHere(store.partners), caps)
    for (const warning of warnings) warn(warning)
  } finally {
    await store.close()
  }
}

const notStored =
  'the ledger is new, and CAP_* is not stored in it by migrate: set CAP_* for its first server, which stores it'
