/** A column, as the catalog has it. */
export type Column = {
  table: string
  name: string
  type: string
  notNull: boolean
  /** Compared by its bytes. */
  isByBytes: boolean
  /** Compared as the database usually does, or no text. */
  isAsUsual: boolean
  /** It takes the values that it is given, however long. */
  isOrdinary: boolean
}

/** Reads them for tables that are given as rows of pg_class. */
export const columnsQuery = (tables: string) => `
  SELECT tables.relname AS "table", attname AS name, format_type(atttypid, atttypmod) AS type, attnotnull AS "notNull",
    attcollation = 'pg_catalog."C"'::regcollation::oid AS "isByBytes",
    typcollation = attcollation AS "isAsUsual",
    attidentity <> 'a' AND attgenerated = '' AND (attlen > 0 OR attstorage <> 'p') AS "isOrdinary"
  FROM pg_attribute JOIN (${tables}) AS tables ON tables.oid = attrelid JOIN pg_type ON pg_type.oid = atttypid
  WHERE attnum > 0 AND NOT attisdropped`

/**
 * All columns that the migrations make. Of another type, a number might be rounded, and a key that expires or a change of an
 * operator would be missed; to another collation than `C`, by bytes, two orders, users or partners may be equal. `?`: it may be NULL.
 */
const columnsOf: Record<string, string> = {
  accounts:
    'partner_id text C, tenant_id text C, seq bigint, head_hash bytea, awarded_at bigint, day bigint, day_points bigint',
  entries:
    'partner_id text C, tenant_id text C, seq bigint, ep_transaction_id uuid, order_id text C, user_email text C, ' +
    'salt bytea?, commitment bytea?, raw_amount bigint, amount_per_ep bigint, points bigint, note text?, meta text?, ' +
    'awarded_at bigint, per_tx bigint, per_partner_day bigint, per_user_day bigint, partner_day_total bigint, ' +
    'user_day_total bigint, hash bytea',
  user_days: 'tenant_id text C, user_email text C, day bigint, points bigint',
  audit:
    'audit_seq bigint, at bigint, actor text, action text, subject text, before text?, after text, reason text?, ' +
    'origin text, address text?, previous_hash bytea, hash bytea',
  partners:
    'partner_id text C, name text, status text, per_tx bigint?, per_partner_day bigint?, requests_per_second bigint?, ' +
    'created_at bigint, changed_in bigint',
  tenants: 'tenant_id text C, per_user_day bigint?, created_at bigint, mode text',
  grants: 'partner_id text C, tenant_id text C, per_tx bigint?, per_partner_day bigint?',
  keys:
    'key_id text C, partner_id text C, api_key_hash text C, sealed_secret bytea, created_at bigint, ' +
    'expires_at bigint?, revoked_at bigint?',
  default_caps:
    'only_row integer, per_tx bigint, per_partner_day bigint, per_user_day bigint, set_at bigint?',
  audit_head: 'only_row integer, seq bigint, hash bytea',
  settings_version: 'only_row integer, version bigint',
  keepsakes: 'name text C, value bytea',
  migrations: 'name text, sha256 text, applied_at timestamp with time zone',
  operators:
    'operator_id text C, role text, status text, password_hash text?, oidc_subject text?, sessions_from bigint, ' +
    'created_at bigint',
  operator_tokens:
    'token_id text C, name text, token_hash text, scopes text, operator_id text C?, created_at bigint, ' +
    'expires_at bigint, revoked_at bigint?',
}

/** The first column that is missing, added or changed, in words; null if there is none. */
export function columnFaultIn(columns: Column[], tables: string[], remedy: string): string | null {
  for (const table of tables) {
    const found = columns.filter((column) => column.table === table)
    const wanted = new Map(columnsOf[table]!.split(', ').map((text) => [text.split(' ')[0]!, text]))
    for (const [name, text] of wanted) {
      const same = found.find((column) => column.name === name)
      if (same === undefined) return `the column ${name} of ${table} is missing: ${remedy}`
      if (textOf(same) !== text)
        return `the column ${name} of ${table} is not as the migrations made it: ${remedy}`
    }
    const added = found.find(({ name }) => !wanted.has(name))
    if (added !== undefined)
      return `the column ${added.name} of ${table} is not ours: find out who added it, and drop it`
  }
  return null
}

function textOf({ name, type, notNull, isByBytes, isAsUsual, isOrdinary }: Column): string {
  const collation = isByBytes ? ' C' : isAsUsual ? '' : ' another collation'
  return `${name} ${type}${collation}${notNull ? '' : '?'}${isOrdinary ? '' : ', not ordinary'}`
}
