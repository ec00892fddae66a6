import { userInfo } from 'node:os'
import type { Command } from 'commander'
import { systemClock } from '../clock.ts'
import { type Config, readConfig, readEnvironment } from '../config.ts'
import type { Operator } from '../partners/operator.ts'
import { openMasterKey } from '../open-master-key.ts'
import { openStore } from '../stores/open.ts'

export type DatabaseOptions = { databaseUrl?: string; json?: boolean }

/** Every command that works on the database takes these. */
export function withDatabaseOptions(command: Command): Command {
  return command
    .option('--database-url <url>', 'the ledger to work on (DATABASE_URL)')
    .option('--json', 'print one JSON document')
}

/** What a command works with. The master key is asked for, and proved, only where a secret is made. */
export type Session = { operator: Operator; masterKey(): Promise<Uint8Array> }

export async function withDatabase<T>(
  options: DatabaseOptions,
  work: (session: Session) => Promise<T>,
  { create = false } = {},
): Promise<T> {
  const config = configOf(options)
  const store = await openStore(config.database, { create })
  try {
    const operator = { store: store.partners, actor: `cli:${userInfo().username}`, now: systemClock.now() }
    return await work({ operator, masterKey: () => openMasterKey(config, store.partners) })
  } finally {
    await store.close()
  }
}

export function configOf({ databaseUrl }: DatabaseOptions): Config {
  const environment = readEnvironment()
  return readConfig({ ...environment, DATABASE_URL: databaseUrl ?? environment.DATABASE_URL })
}
