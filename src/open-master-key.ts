import { dirname, join } from 'node:path'
import { fileMasterKey, type Keepsakes, proveMasterKey } from './access/master-key.ts'
import type { Config } from './config.ts'

/** The key that seals this ledger's secrets, proved to be the right one. */
export async function openMasterKey({ masterKey, database }: Config, store: Keepsakes): Promise<Uint8Array> {
  const key = masterKey ?? (await fileMasterKey(store, masterKeyPath(database)))
  await proveMasterKey(store, key)
  return key
}

function masterKeyPath(database: Config['database']): string {
  if (database.kind !== 'sqlite') throw new Error('MASTER_KEY is required on PostgreSQL')
  return join(dirname(database.path), 'master.key')
}
