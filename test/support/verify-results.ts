import { beginVerifyRecord, type DatabaseLocation } from '../../src/stores/open.ts'

/** As a `verify` that began just now, after all that were recorded. */
export async function recordVerified(database: DatabaseLocation, at: number): Promise<void> {
  await (await beginVerifyRecord(database))({ sound: true, extent: 'file' }, at)
}

export async function recordNotSound(database: DatabaseLocation, at: number): Promise<void> {
  await (await beginVerifyRecord(database))({ sound: false, extent: 'file' }, at)
}
