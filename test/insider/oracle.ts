import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'

type Stored = Record<string, { type: string; bytes: string | null; value: unknown }>

/**
 * What a ledger file must be, implemented a second time in the simplest way: it shares no code with the verifier and reads
 * every value with its type and its bytes. Returns the first contradiction; null: this could be a true ledger.
 *
 * Someone who rewrites entries, hashes, totals and counters so that all of it is consistent again leaves a ledger that
 * could be true. That is what `verify` does not claim to find; an outside copy of the heads does.
 */
export function contradictionIn(database: DatabaseSync, frameBefore: string): string | null {
  if (frameOf(database) !== frameBefore) return 'the schema or the settings were changed'
  const entries = read(database, 'SELECT rowid AS place, * FROM entries NOT INDEXED', entryColumns)
  const accounts = read(database, 'SELECT * FROM accounts', accountColumns)
  const userDays = read(database, 'SELECT * FROM user_days', userDayColumns)
  return (
    wrongTypes(entries, accounts, userDays) ??
    wrongChains(entries, accounts) ??
    wrongDays(entries, userDays) ??
    wrongOrders(entries) ??
    wrongOwners(database, accounts)
  )
}

/** The content of awards, totals and counters, without what has no meaning. */
export function contentOf(database: DatabaseSync): string {
  const entries = read(database, 'SELECT * FROM entries NOT INDEXED', entryColumns)
  const accounts = read(database, 'SELECT * FROM accounts WHERE seq <> 0', accountColumns)
  const userDays = read(database, 'SELECT * FROM user_days WHERE points <> 0', userDayColumns)
  const lines = [entries, accounts, userDays].flatMap((rows) => rows.map((row) => JSON.stringify(row)))
  return lines.toSorted().join('\n')
}

/** The schema, and what operators have set: its own chain, the audit trail, leads to it. */
export function frameOf(database: DatabaseSync): string {
  const tables = ['partners', 'tenants', 'grants', 'keys', 'audit']
  const queries = [
    'SELECT type, name, tbl_name, sql FROM sqlite_schema',
    ...tables.map((table) => `SELECT '${table}', * FROM ${table}`),
  ]
  return queries
    .flatMap((sql) =>
      database
        .prepare(sql)
        .all()
        .map((row) => JSON.stringify(row)),
    )
    .toSorted()
    .join('\n')
}

const entryColumns = {
  partner_id: 'text',
  tenant_id: 'text',
  seq: 'integer',
  ep_transaction_id: 'text',
  order_id: 'text',
  user_email: 'text',
  salt: 'blob',
  commitment: 'null',
  raw_amount: 'integer',
  amount_per_ep: 'integer',
  points: 'integer',
  note: 'text?',
  meta: 'text?',
  awarded_at: 'integer',
  per_tx: 'integer',
  per_partner_day: 'integer',
  per_user_day: 'integer',
  partner_day_total: 'integer',
  user_day_total: 'integer',
  hash: 'blob',
}
const accountColumns = {
  partner_id: 'text',
  tenant_id: 'text',
  seq: 'integer',
  head_hash: 'blob',
  awarded_at: 'integer',
  day: 'integer',
  day_points: 'integer',
}
const userDayColumns = { tenant_id: 'text', user_email: 'text', day: 'integer', points: 'integer' }

function read(database: DatabaseSync, sql: string, columns: Record<string, string>): Stored[] {
  const names = Object.keys(columns)
  const selection = names.flatMap((name) => [
    `typeof(${name}) AS ${name}_type`,
    `CASE WHEN ${name} IS NOT NULL THEN hex(CAST(${name} AS BLOB)) END AS ${name}_bytes`,
    `${name} AS ${name}_value`,
  ])
  const statement = database.prepare(`SELECT ${selection.join(', ')} FROM (${sql})`)
  statement.setReadBigInts(true)
  return statement.all().map((row) =>
    Object.fromEntries(
      names.map((name) => {
        const value = row[`${name}_value`]
        const stored = {
          type: String(row[`${name}_type`]),
          bytes: row[`${name}_bytes`] as string | null,
          value: typeof value === 'bigint' ? String(value) : null,
        }
        return [name, stored]
      }),
    ),
  )
}

const text = (row: Stored, name: string) => row[name]!.bytes ?? ''
const number = (row: Stored, name: string) => Number(row[name]!.value)
const dayOf = (awardedAt: number) => Math.floor((awardedAt + 25_200_000) / 86_400_000)

function wrongTypes(entries: Stored[], accounts: Stored[], userDays: Stored[]): string | null {
  for (const [rows, columns] of [
    [entries, entryColumns],
    [accounts, accountColumns],
    [userDays, userDayColumns],
  ] as [Stored[], Record<string, string>][]) {
    for (const row of rows) {
      for (const [name, kind] of Object.entries(columns)) {
        const { type, bytes } = row[name]!
        if (type === 'null' ? !/^null$|\?$/.test(kind) : type !== kind.replace('?', ''))
          return `${name} is ${type}`
        if (type === 'text' && !isUtf8(Buffer.from(bytes!, 'hex'))) return `${name} is not UTF-8`
        if (type === 'integer' && !Number.isSafeInteger(number(row, name))) return `${name} is too large`
      }
    }
  }
  if (entries.some((row) => !/^([0-6][0-9A-F]|7[0-9A-E]){0,256}$/.test(text(row, 'user_email'))))
    return 'a user has an address that no award can have'
  return entries.some((row) => text(row, 'salt').length !== 32 || text(row, 'hash').length !== 64)
    ? 'a salt or a hash has another length'
    : null
}

function isUtf8(bytes: Uint8Array): boolean {
  return Buffer.compare(Buffer.from(Buffer.from(bytes).toString('utf8')), bytes) === 0
}

function wrongChains(entries: Stored[], accounts: Stored[]): string | null {
  const chains = Map.groupBy(entries, (row) => `${text(row, 'partner_id')} ${text(row, 'tenant_id')}`)
  for (const chain of chains.values()) {
    let [hash, awardedAt, day, total] = ['00'.repeat(32), 0, 0, 0]
    for (const [index, row] of chain.entries()) {
      if (number(row, 'seq') !== index + 1) return 'a gap, or entries stored out of order'
      if (text(row, 'hash') !== hashOf(row, hash)) return 'a hash'
      hash = text(row, 'hash')
      const [points, rate, amount] = [
        number(row, 'points'),
        number(row, 'amount_per_ep'),
        number(row, 'raw_amount'),
      ]
      if (number(row, 'awarded_at') < awardedAt) return 'time runs backwards'
      awardedAt = number(row, 'awarded_at')
      if (points < 1 || Math.floor(amount / rate) !== points) return 'a conversion'
      total = dayOf(awardedAt) === day ? total + points : points
      day = dayOf(awardedAt)
      if (number(row, 'partner_day_total') !== total) return 'a partner-day total'
      if (points > number(row, 'per_tx') || total > number(row, 'per_partner_day')) return 'a cap'
      if (number(row, 'user_day_total') > number(row, 'per_user_day')) return 'a cap of a user'
    }
    const last = chain.at(-1)!
    const heads = accounts.filter(
      (head) =>
        text(head, 'partner_id') === text(last, 'partner_id') &&
        text(head, 'tenant_id') === text(last, 'tenant_id'),
    )
    const [head] = heads
    if (heads.length !== 1 || head === undefined) return 'a head is missing'
    const says = [
      number(head, 'seq'),
      text(head, 'head_hash'),
      ...['awarded_at', 'day', 'day_points'].map((name) => number(head, name)),
    ]
    if (String(says) !== String([chain.length, hash, awardedAt, day, total])) return 'a head'
  }
  const filled = accounts.filter((head) => !isEmpty(head))
  return filled.length === chains.size ? null : 'a head without entries'
}

function isEmpty(head: Stored): boolean {
  return (
    ['seq', 'awarded_at', 'day', 'day_points'].every((name) => number(head, name) === 0) &&
    /^0{64}$/.test(text(head, 'head_hash'))
  )
}

function hashOf(row: Stored, previous: string): string {
  const commitment = digest([text(row, 'salt'), text(row, 'user_email'), row.note!.bytes, row.meta!.bytes])
  const decimal = (name: string) => Buffer.from(String(row[name]!.value)).toString('hex')
  return digest([
    previous,
    text(row, 'partner_id'),
    text(row, 'tenant_id'),
    decimal('seq'),
    text(row, 'ep_transaction_id'),
    text(row, 'order_id'),
    commitment,
    ...[
      'raw_amount',
      'amount_per_ep',
      'points',
      'awarded_at',
      'per_tx',
      'per_partner_day',
      'per_user_day',
      'partner_day_total',
      'user_day_total',
    ].map(decimal),
  ])
}

function digest(fields: (string | null)[]): string {
  const hash = createHash('sha256').update(Buffer.from([1]))
  for (const field of fields) {
    const bytes = Buffer.from(field ?? '', 'hex')
    const header = Buffer.alloc(5)
    header[0] = field === null ? 0 : 1
    header.writeUInt32BE(bytes.length, 1)
    hash.update(header).update(bytes)
  }
  return hash.digest('hex').toUpperCase()
}

function wrongDays(entries: Stored[], userDays: Stored[]): string | null {
  const key = (row: Stored, day: number) => `${text(row, 'tenant_id')} ${text(row, 'user_email')} ${day}`
  const groups = Map.groupBy(entries, (row) => key(row, dayOf(number(row, 'awarded_at'))))
  const totals = new Map<string, number>()
  for (const [at, group] of groups) {
    let total = 0
    for (const row of group.toSorted((a, b) => number(a, 'user_day_total') - number(b, 'user_day_total'))) {
      total += number(row, 'points')
      if (number(row, 'user_day_total') !== total) return 'a user-day total'
    }
    totals.set(at, total)
  }
  const filled = userDays.filter((row) => number(row, 'points') !== 0)
  if (filled.length !== totals.size) return 'a counter too many or too few'
  return filled.every((row) => totals.get(key(row, number(row, 'day'))) === number(row, 'points'))
    ? null
    : 'a counter'
}

function wrongOrders(entries: Stored[]): string | null {
  const orders = new Set(entries.map((row) => `${text(row, 'partner_id')} ${text(row, 'order_id')}`))
  return orders.size === entries.length ? null : 'an order twice'
}

function wrongOwners(database: DatabaseSync, accounts: Stored[]): string | null {
  const has = (table: string, column: string, hex: string) =>
    database.prepare(`SELECT 1 FROM ${table} WHERE hex(CAST(${column} AS BLOB)) = ?`).get(hex) !== undefined
  const ownerless = accounts.find(
    (head) =>
      number(head, 'seq') > 0 &&
      !(
        has('partners', 'partner_id', text(head, 'partner_id')) &&
        has('tenants', 'tenant_id', text(head, 'tenant_id'))
      ),
  )
  return ownerless === undefined ? null : 'an account without its partner or tenant'
}

/** Whether the file and its indexes are consistent: only SQLite itself can tell. */
export function damageOf(database: DatabaseSync): string | null {
  const [first] = database.prepare('PRAGMA integrity_check(1)').all()
  return first?.integrity_check === 'ok' ? null : String(first?.integrity_check)
}
