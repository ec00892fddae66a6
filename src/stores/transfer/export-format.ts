import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto'
import { Damaged } from '../../ledger/errors.ts'
import {
  type CarriedKind,
  type CarriedTable,
  carriedKinds,
  carriedTables,
  carriedTablesOfFormat1,
  carriedTablesOfFormat2,
  carriedTablesOfFormat3,
  type FieldKind,
  type Row,
} from './carried-tables.ts'

/**
 * The format of an export, one JSON object a line: a header with the version and the id of the key, a line for each row,
 * and a closing line with the number of rows and the HMAC-SHA-256 of all bytes before it. Whatever is missing, doubled or
 * changed is noticed, and nobody without the ledger's master key can write one. Only the newline behind the closing line may
 * be missing, as some editors take it away: the HMAC covers every line before it, and a closing line whose HMAC fits is
 * whole. Bytes are written in hexadecimal digits; meta is the text as the partner sent it.
 *
 * The first format had a SHA-256 in the place of the HMAC, which anybody can compute. The second has tenants without a
 * mode, and the third has no operators.
 */
const format = 'partner-credit export'
const version = 4

/** What an export is sealed with, and its name in the file; `checkStoredValue` refuses a value that was sealed under another key. */
export type ExportKey = {
  id: string
  key: Uint8Array
  checkStoredValue(name: string, value: Uint8Array): void
}

/** The tables of a format that can still be read. */
export type CarriedTables = Partial<Record<CarriedKind, CarriedTable>>

/** `seal`: the field of the closing line that stands for all bytes before it. */
export type Format = { tables: CarriedTables; seal: 'sha256' | 'mac'; digest: Hash | Hmac }

export type RowCounts = Record<CarriedKind, number>
type Closing = { counts: RowCounts; seal: string }
export type ReadClosing = Closing & { isAsWritten: boolean }
export type Line = { kind: CarriedKind; row: Row } | { kind: 'end'; closing: ReadClosing }

export const noRows: Readonly<RowCounts> = Object.freeze(
  Object.fromEntries(carriedKinds.map((kind) => [kind, 0])) as RowCounts,
)

export function headerLine({ id }: ExportKey): string {
  return `${JSON.stringify({ format, version, macKey: id })}\n`
}

export function rowLine(kind: CarriedKind, row: Row): string {
  const fields = Object.keys(carriedTables[kind].fields).map((field) => [field, written(row[field]!)])
  return `${JSON.stringify({ kind, ...Object.fromEntries(fields) })}\n`
}

export function closingLine({ counts, seal }: Closing): string {
  return `${JSON.stringify({ kind: 'end', ...counts, mac: seal })}\n`
}

export function macOf({ key }: ExportKey): Hmac {
  return createHmac('sha256', key)
}

function written(value: Row[string]): string | number | null {
  return value instanceof Uint8Array ? Buffer.from(value).toString('hex') : value
}

/** Those that are sealed by the master key. */
const tablesOf = new Map<unknown, CarriedTables>([
  [2, carriedTablesOfFormat2],
  [3, carriedTablesOfFormat3],
  [version, carriedTables],
])

export type HeaderOptions = { key: ExportKey; acceptFormat1: boolean }

/** Returns the table that the following lines belong to. */
export function readHeader(text: string, { key, acceptFormat1 }: HeaderOptions): Format {
  const header = objectOf(text)
  if (header.format !== format) throw new Damaged('this is not an export of partner-credit')
  if (header.version === 1 && acceptFormat1) {
    return { tables: carriedTablesOfFormat1, seal: 'sha256', digest: createHash('sha256') }
  }
  if (header.version === 1) {
    throw new Damaged(
      'this is version 1 of the format, which anybody could have written or changed: if you trust where it comes from, import it with --accept-format-1',
    )
  }
  const tables = tablesOf.get(header.version)
  if (tables === undefined) {
    throw new Damaged(
      `this is version ${JSON.stringify(header.version)} of the format, and this program reads up to version ${version}`,
    )
  }
  if (header.macKey !== key.id) {
    throw new Damaged(
      `it was exported under another master key (${JSON.stringify(header.macKey)}, and this is "${key.id}"): set MASTER_KEY to the one of the ledger that it comes from`,
    )
  }
  return { tables, seal: 'mac', digest: macOf(key) }
}

/** A line after the first. Throws `Damaged` where it is not exactly what we would have written. */
export function parseLine(text: string, { tables, seal }: Pick<Format, 'tables' | 'seal'>): Line {
  const { kind, ...fields } = objectOf(text)
  if (kind === 'end') return { kind, closing: parseClosing(text, fields, { tables, seal }) }
  const table = Object.hasOwn(tables, String(kind)) ? tables[kind as CarriedKind] : undefined
  if (table === undefined) throw new Damaged(`${JSON.stringify(kind)} is not a kind of line`)
  return { kind: kind as CarriedKind, row: parseRow(kind as CarriedKind, table, fields) }
}

function objectOf(text: string): Record<string, unknown> {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Damaged('is not JSON') // the parser's own words would repeat what it read, perhaps an address
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Damaged('is not a JSON object')
  return value as Record<string, unknown>
}

function parseRow(
  kind: CarriedKind,
  { fields, implied = {} }: CarriedTable,
  values: Record<string, unknown>,
): Row {
  const unknown = Object.keys(values).find((field) => !Object.hasOwn(fields, field))
  if (unknown !== undefined) throw new Damaged(`has a field that no ${kind} has`)
  const parsed = Object.entries(fields).map(([field, fieldKind]) => [
    field,
    parseField(field, fieldKind, values[field]),
  ])
  return { ...implied, ...Object.fromEntries(parsed) }
}

function parseField(field: string, kind: FieldKind, value: unknown): Row[string] {
  if (value === null && kind.endsWith('?')) return null
  const plain = kind.replace('?', '') as keyof typeof holds
  if (!holds[plain](value)) throw new Damaged(`its ${field} is missing or not what it must be (${plain})`)
  return plain === 'bytes' ? Buffer.from(value as string, 'hex') : (value as string | number)
}

/** A text that one of the stores would change, or could not keep, is none. */
const holds = {
  text: (value: unknown) => typeof value === 'string' && value.isWellFormed() && !value.includes('\0'),
  uuid: (value: unknown) =>
    typeof value === 'string' && /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(value),
  integer: (value: unknown) => Number.isSafeInteger(value) && !Object.is(value, -0),
  bytes: (value: unknown) => typeof value === 'string' && /^([0-9a-f]{2})*$/.test(value),
}

/** The seal does not cover this line: it has to be as export wrote it. */
function parseClosing(
  text: string,
  values: Record<string, unknown>,
  { tables, seal: sealField }: Pick<Format, 'tables' | 'seal'>,
): ReadClosing {
  const counts = Object.fromEntries(carriedKinds.map((kind) => [kind, kind in tables ? values[kind] : 0]))
  const seal = values[sealField]
  if (!Object.values(counts).every(Number.isSafeInteger) || typeof seal !== 'string') {
    throw new Damaged('is not a whole closing line')
  }
  const carried = Object.fromEntries(Object.entries(counts).filter(([kind]) => kind in tables))
  const written = JSON.stringify({ kind: 'end', ...carried, mac: seal })
  const isAsWritten = sealField === 'sha256' || text === written || text === `${written}\n`
  return { counts: counts as RowCounts, seal, isAsWritten }
}
