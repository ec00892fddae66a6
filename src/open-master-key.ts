import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  fileMasterKey,
  hasMasterKey,
  type WriteOnceValues,
  proveMasterKey,
  readKeyFile,
} from './access/master-key.ts'
import { type Config, ConfigError } from './config.ts'

/** The key that encrypts this ledger's secrets, checked against the ledger. */
export async function openMasterKey(
  { masterKey, database }: Config,
  store: WriteOnceValues,
): Promise<Uint8Array> {
  const key = masterKey ?? (await fileMasterKey(store, masterKeyPath(database)))
  await proveMasterKey(store, key)
  return key
}

/** For a server, before it changes anything of a ledger: with another key it will not run on it. */
export async function assertOwnMasterKey(config: Config, store: WriteOnceValues): Promise<void> {
  if (await hasMasterKey(store)) await openMasterKey(config, store)
}

/** The key that must exist already, for commands that do not create a ledger. */
export function existingMasterKey({ masterKey, database }: Config): Uint8Array {
  if (masterKey !== null) return masterKey
  const path = masterKeyPath(database)
  if (existsSync(path)) return readKeyFile(path)
  throw new Error(
    `${path} is missing: restore the ledger's master key file, or set MASTER_KEY to its content`,
  )
}

function masterKeyPath(database: Config['database']): string {
  if (database.kind !== 'sqlite') throw new ConfigError(['MASTER_KEY is required on PostgreSQL'])
  return join(dirname(database.path), 'master.key')
}
