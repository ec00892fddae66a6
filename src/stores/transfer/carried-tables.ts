import type { OperatorAccount } from '../../operator/access/operator-store.ts'
import type { DefaultCaps, Grant, Key, Tenant } from '../../partners/partner-store.ts'
import type { AuditRow } from '../../rules/audit-hash.ts'
import type { LegacyRow } from '../chain-legacy-audit.ts'
import { columnOf, columns } from '../columns.ts'
import type { EntryRow } from '../entry-row.ts'
import type { TokenRow } from '../operator-rows.ts'
import type { Owned, PartnerRow } from '../partner-rows.ts'

/** One row of any table, under the names of our own objects. */
export type Row = Record<string, string | number | Uint8Array | null>

/** A question mark allows null. A uuid is a text of which PostgreSQL keeps the value and not the writing. */
export type FieldKind = Plain | `${Plain}?`
type Plain = 'text' | 'uuid' | 'integer' | 'bytes'

export type CarriedTable = {
  table: string
  fields: Record<string, FieldKind>
  /** The primary key: rows are written, and expected, in its order. */
  key: string[]
  /** Of an older format: what its rows have no field for. */
  implied?: Row
}

type WriteOnceValue = { name: string; value: Uint8Array }

/**
 * What an export carries, in an order in which it can be loaded. From this one description come the lines, the checks
 * of the lines and the SQL of both stores. Counters (accounts, user_days) are not carried: they follow from the
 * entries. Neither are hashes of passwords: an imported operator needs `operator reset`.
 */
export const carriedTables = {
  defaults: carried<DefaultCaps & { onlyRow: number }>('default_caps', ['onlyRow'], {
    onlyRow: 'integer',
    perTx: 'integer',
    perPartnerDay: 'integer',
    perUserDay: 'integer',
    setAt: 'integer?',
  }),
  tenant: carried<Tenant>('tenants', ['tenantId'], {
    tenantId: 'text',
    mode: 'text',
    perUserDay: 'integer?',
    createdAt: 'integer',
  }),
  partner: carried<PartnerRow>('partners', ['partnerId'], {
    partnerId: 'text',
    name: 'text',
    status: 'text',
    perTx: 'integer?',
    perPartnerDay: 'integer?',
    requestsPerSecond: 'integer?',
    createdAt: 'integer',
  }),
  grant: carried<Owned<Grant>>('grants', ['partnerId', 'tenantId'], {
    partnerId: 'text',
    tenantId: 'text',
    perTx: 'integer?',
    perPartnerDay: 'integer?',
  }),
  key: carried<Owned<Key>>('keys', ['keyId'], {
    keyId: 'text',
    partnerId: 'text',
    apiKeyHash: 'text',
    sealedSecret: 'bytes',
    createdAt: 'integer',
    expiresAt: 'integer?',
    revokedAt: 'integer?',
  }),
  operator: carried<Omit<OperatorAccount, 'passwordHash'>>('operators', ['operatorId'], {
    operatorId: 'text',
    role: 'text',
    status: 'text',
    oidcSubject: 'text?',
    sessionsFrom: 'integer',
    createdAt: 'integer',
  }),
  token: carried<TokenRow>('operator_tokens', ['tokenId'], {
    tokenId: 'text',
    name: 'text',
    tokenHash: 'text',
    scopes: 'text',
    operatorId: 'text?',
    createdAt: 'integer',
    expiresAt: 'integer',
    revokedAt: 'integer?',
  }),
  keepsake: carried<WriteOnceValue>('keepsakes', ['name'], { name: 'text', value: 'bytes' }),
  audit: carried<AuditRow>('audit', ['auditSeq'], {
    auditSeq: 'integer',
    at: 'integer',
    actor: 'text',
    action: 'text',
    subject: 'text',
    before: 'text?',
    after: 'text',
    reason: 'text?',
    origin: 'text',
    address: 'text?',
    previousHash: 'bytes',
    hash: 'bytes',
  }),
  entry: carried<EntryRow>('entries', ['partnerId', 'tenantId', 'seq'], {
    partnerId: 'text',
    tenantId: 'text',
    seq: 'integer',
    epTransactionId: 'uuid',
    orderId: 'text',
    userEmail: 'text',
    salt: 'bytes?',
    commitment: 'bytes?',
    rawAmount: 'integer',
    amountPerEp: 'integer',
    points: 'integer',
    note: 'text?',
    meta: 'text?',
    awardedAt: 'integer',
    perTx: 'integer',
    perPartnerDay: 'integer',
    perUserDay: 'integer',
    partnerDayTotal: 'integer',
    userDayTotal: 'integer',
    hash: 'bytes',
  }),
}

export type CarriedKind = keyof typeof carriedTables
export const carriedKinds = Object.keys(carriedTables) as CarriedKind[]

/** The third format is from before there were operators' accounts. */
export const carriedTablesOfFormat3: Partial<Record<CarriedKind, CarriedTable>> = (({
  operator: _,
  token: __,
  ...others
}) => others)(carriedTables)

/** The second format is from before there were sandbox tenants. */
export const carriedTablesOfFormat2: Partial<Record<CarriedKind, CarriedTable>> = {
  ...carriedTablesOfFormat3,
  tenant: {
    ...carried<Omit<Tenant, 'mode'>>('tenants', ['tenantId'], {
      tenantId: 'text',
      perUserDay: 'integer?',
      createdAt: 'integer',
    }),
    implied: { mode: 'live' },
  },
}

/** What the first format carried: audit rows that were no chain yet, and no defaults, which were each server's own. */
export const carriedTablesOfFormat1: Partial<Record<CarriedKind, CarriedTable>> = {
  ...(({ defaults: _, ...others }) => others)(carriedTablesOfFormat2),
  audit: carried<LegacyRow & { auditId: number }>('audit', ['auditId'], {
    auditId: 'integer',
    at: 'integer',
    actor: 'text',
    action: 'text',
    subject: 'text',
    before: 'text?',
    after: 'text',
  }),
}

export function selectRows(kind: CarriedKind): string {
  const { table, fields, key } = carriedTables[kind]
  return `SELECT ${columns<Row>(...Object.keys(fields))} FROM ${table} ORDER BY ${key.map(columnOf).join(', ')}`
}

type KindOf<V> = null extends V ? `${PlainOf<NonNullable<V>>}?` : PlainOf<V>
type PlainOf<V> = V extends number ? 'integer' : V extends string ? 'text' | 'uuid' : 'bytes'

/** The compiler insists on every field of the type, each with a kind that can hold it. */
function carried<T>(
  table: string,
  key: (keyof T & string)[],
  fields: { [F in keyof T & string]: KindOf<T[F]> },
): CarriedTable {
  return { table, key, fields: fields as Record<string, FieldKind> }
}
