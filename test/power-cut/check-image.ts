import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileMasterKey, proveMasterKey } from '../../src/access/master-key.ts'
import { verifyLedger } from '../../src/proof/verify.ts'
import { openSqlite } from '../../src/stores/sqlite/open.ts'
import type { Store } from '../../src/stores/store.ts'
import { openRaw } from '../support/raw-database.ts'
import type { Image } from './disk.ts'
import type { Acknowledged } from './write-log.ts'

/** What must be found after the power cut: each award that was acknowledged before it, under its order. */
export type Promised = Acknowledged & { orderId: string | undefined }

/** `damage`: the ledger does not open, or is not sound. `lost`: promised awards that it does not hold. */
type Finding = { damage: string | null; lost: Promised[] }

/** After the power cut: the image is opened as the service opens its ledger, and checked. */
export async function checkImage(
  image: Image,
  { ledger, promised, folder }: { ledger: string; promised: Iterable<Promised>; folder: string },
): Promise<Finding> {
  rmSync(folder, { recursive: true, force: true })
  writeImage(image, folder)
  const path = join(folder, basename(ledger))
  try {
    const store = openSqlite(path)
    try {
      await proveMasterKey(store.partners, await fileMasterKey(store.partners, join(folder, 'master.key')))
      return { damage: await damageOf(store, path), lost: await lostFrom(store, promised) }
    } finally {
      await store.close()
    }
  } catch (error) {
    return { damage: (error as Error).message, lost: [] }
  }
}

export function writeImage(image: Image, folder: string): void {
  mkdirSync(folder)
  for (const [path, bytes] of image) writeFileSync(join(folder, basename(path)), bytes, { mode: 0o600 })
}

async function damageOf(store: Store, path: string): Promise<string | null> {
  const raw = await openRaw({ kind: 'sqlite', path })
  const answers = (await raw.rows('PRAGMA integrity_check')).map((row) => row.integrity_check)
  await raw.close()
  if (answers.join() !== 'ok') return `integrity_check: ${answers.join(', ')}`
  const snapshot = await store.snapshot()
  const { sound, fault } = await verifyLedger(snapshot, () => {})
  await snapshot.close()
  return sound ? null : `verify: ${JSON.stringify(fault)}`
}

async function lostFrom(store: Store, promised: Iterable<Promised>): Promise<Promised[]> {
  const snapshot = await store.snapshot()
  const held = new Map<string, { points: number; orderId: string }>()
  for await (const entries of snapshot.entries()) {
    for (const { epTransactionId, points, orderId } of entries) held.set(epTransactionId, { points, orderId })
  }
  await snapshot.close()
  return [...promised].filter(({ epTransactionId, points, orderId }) => {
    const entry = held.get(epTransactionId)
    return entry?.points !== points || (orderId !== undefined && entry.orderId !== orderId)
  })
}
