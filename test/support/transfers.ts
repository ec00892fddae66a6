import { createHash, createHmac } from 'node:crypto'
import { exportKey } from '../../src/access/export-key.ts'
import { readConfig } from '../../src/config.ts'
import { type DatabaseLocation, openReading, openStore } from '../../src/stores/open.ts'
import type { Store } from '../../src/stores/store.ts'
import type { HeaderOptions } from '../../src/stores/transfer/export-format.ts'
import { exportLedger } from '../../src/stores/transfer/export-ledger.ts'
import { type Imported, importLedger } from '../../src/stores/transfer/import-ledger.ts'
import { openExport } from '../../src/stores/transfer/read-export.ts'
import { freshDatabase } from './fresh-database.ts'
import { openRaw, type RawDatabase } from './raw-database.ts'
import type { Lifetime } from './service.ts'

export type StoreKind = DatabaseLocation['kind']

/** The master key of every ledger that is exported and imported here. */
export const masterKey = Buffer.alloc(32, 7).toString('base64')
export const transferKey = exportKey(Buffer.from(masterKey, 'base64'))
const importOptions = { key: transferKey, acceptFormat1: false, onVerified: () => {} }

export async function anEmptyDatabase(test: Lifetime, kind: StoreKind): Promise<DatabaseLocation> {
  const { url, remove } = await freshDatabase(kind)
  test.after(remove)
  return databaseOf(url)
}

export function databaseOf(url: string): DatabaseLocation {
  return readConfig({ DATABASE_URL: url, MASTER_KEY: masterKey }).database
}

/** `meanwhile` runs after the first line was written. */
export async function exportOf(database: DatabaseLocation, meanwhile = async () => {}): Promise<string> {
  const snapshot = await openReading(database)
  try {
    const pieces = exportLedger(snapshot, { key: transferKey, onProgress: () => {}, onEnd: () => {} })
    const { value: first } = await pieces.next()
    await meanwhile()
    return [first, ...(await Array.fromAsync(pieces))].join('')
  } finally {
    await snapshot.close()
  }
}

/** Imported in pieces of slightly different lengths, so that lines and characters are cut anywhere. */
export async function importInto(
  database: DatabaseLocation,
  file: string | Uint8Array,
  options: Partial<HeaderOptions> = {},
): Promise<Imported> {
  const store = await openStore(database)
  try {
    return await importStream(store, piecesOf(Buffer.from(file)), options)
  } finally {
    await store.close()
  }
}

export async function importStream(
  store: Store,
  input: AsyncIterable<Uint8Array>,
  options: Partial<HeaderOptions> = {},
): Promise<Imported> {
  const { key, acceptFormat1, onVerified } = { ...importOptions, ...options }
  return importLedger(store, await openExport(input, { key, acceptFormat1 }), { key, onVerified })
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let start = 0, size = 1; start < bytes.length; start += size, size = 1 + ((size * 7) % 997)) {
    yield bytes.subarray(start, start + size)
  }
}

const orderOf = {
  partners: 'partner_id',
  tenants: 'tenant_id',
  grants: 'partner_id, tenant_id',
  keys: 'key_id',
  default_caps: 'only_row',
  audit: 'audit_seq',
  audit_head: 'only_row',
  keepsakes: 'name',
  accounts: 'partner_id, tenant_id',
  entries: 'partner_id, tenant_id, seq',
  user_days: 'tenant_id, user_email, day',
}

/** The settings version of a partner's last change: the version starts over in the database that is loaded. */
export const ownNumber = 'changed_in'

/** Every column of every row but that, read past the store. Both stores have the same columns, so their dumps can be compared. */
export async function rawDump(database: DatabaseLocation): Promise<string> {
  return withRaw(database, async (raw) => {
    const lines: string[] = []
    for (const [table, order] of Object.entries(orderOf)) {
      const rows = await raw.rows(`SELECT * FROM ${table} ORDER BY ${order}`)
      lines.push(table, ...rows.map(lineOf))
    }
    return lines.join('\n')
  })
}

export async function withRaw<T>(
  database: DatabaseLocation,
  work: (raw: RawDatabase) => Promise<T>,
): Promise<T> {
  const raw = await openRaw(database)
  try {
    return await work(raw)
  } finally {
    await raw.close()
  }
}

function lineOf(row: Record<string, unknown>): string {
  const columns = Object.entries(row).filter(([column]) => column !== ownNumber)
  return JSON.stringify(columns.sort().map(readable))
}

function readable([column, value]: [string, unknown]): [string, string] {
  return [column, value instanceof Uint8Array ? Buffer.from(value).toString('hex') : String(value)]
}

/** A file whose lines were changed, with a closing line that matches them, for what only the later checks can find. */
export function resealed(lines: string[], { key } = transferKey): string {
  const rows = lines.slice(0, -1)
  const text = rows.map((line) => `${line}\n`).join('')
  const { mac: _, sha256: __, ...closing } = JSON.parse(lines.at(-1)!)
  for (const kind of Object.keys(closing).slice(1)) {
    closing[kind] = rows.filter((line) => line.startsWith(`{"kind":"${kind}",`)).length
  }
  const seal = rows[0]!.includes('"version":1')
    ? { sha256: createHash('sha256').update(text).digest('hex') }
    : { mac: createHmac('sha256', key).update(text).digest('hex') }
  return `${text}${JSON.stringify({ ...closing, ...seal })}\n`
}
