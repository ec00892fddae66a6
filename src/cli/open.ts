import { userInfo } from 'node:os'
import type { Command } from 'commander'
import { proveMasterKey } from '../access/master-key.ts'
import { systemClock } from '../clock.ts'
import { readConfig, readEnvironment } from '../config.ts'
import type { Operator } from '../partners/operator.ts'
import { masterKeyOf } from '../serve.ts'
import { openSqlite } from '../stores/sqlite/open.ts'
import type { Store } from '../stores/store.ts'

export type DatabaseOptions = { databaseUrl?: string; json?: boolean }

/** Every command that works on the database takes these. */
export function withDatabaseOptions(command: Command): Command {
  return command
    .option('--database-url <url>', 'the ledger to work on (DATABASE_URL)')
    .option('--json', 'print one JSON document')
}

/** What a command works with. The master key is asked for, and proved, only where a secret is made. */
export type Session = { store: Store; operator: Operator; masterKey(): Promise<Uint8Array> }

export async function withDatabase<T>(
  options: DatabaseOptions,
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const environment = readEnvironment()
  const config = readConfig({ ...environment, DATABASE_URL: options.databaseUrl ?? environment.DATABASE_URL })
  const store = openSqlite(config.databasePath)
  try {
    const operator = { store: store.partners, actor: `cli:${userInfo().username}`, now: systemClock.now() }
    return await work({
      store,
      operator,
      async masterKey() {
        const key = masterKeyOf(config)
        await proveMasterKey(store.partners, key)
        return key
      },
    })
  } finally {
    await store.close()
  }
}
