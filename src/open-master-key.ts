import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileMasterKey, type Keepsakes, proveMasterKey, readKeyFile } from './access/master-key.ts'
import { type Config, ConfigError } from './config.ts'

/** The key that seals this ledger's secrets, proved to be the right one. */
export async function openMasterKey({ masterKey, database }: Config, store: Keepsakes): Promise<Uint8Array> {
  const key = masterKey ?? (await fileMasterKey(store, masterKeyPath(database)))
  await proveMasterKey(store, key)
  return key
}

/** The key as it must be there already, for whoever makes no ledger. */
export function existingMasterKey({ masterKey, database }: Config): Uint8Array {
  if (masterKey !== null) return masterKey
  const path = masterKeyPath(database)
  if (existsSync(path)) return readKeyFile(path)
  throw new Error(`${path} is missing: put the ledger's master key there, or set MASTER_KEY to what it holds`)
}

function masterKeyPath(database: Config['database']): string {
  if (database.kind !== 'sqlite') throw new ConfigError(['MASTER_KEY is required on PostgreSQL'])
  return join(dirname(database.path), 'master.key')
}
