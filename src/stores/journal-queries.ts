import type { KeyUse, Refusal, ReplayRecord } from '../journal/journal-batch.ts'
import type {
  CountField,
  CountQuery,
  CountSum,
  JournalBegin,
  JournalReader,
  RefusalQuery,
  ReplaysOnRecord,
} from '../journal/journal-reader.ts'
import { alertStatements, recordedAlert } from './alert-statements.ts'
import { columnOf, columns } from './columns.ts'
import { journalStatements, keyUsesUntil, leftOut } from './journal-statements.ts'

type Value = string | number | readonly string[]
type JournalStore = {
  /** Runs a statement with the parameters `$1`, `$2`, … */
  read(sql: string, values: Value[]): Promise<Record<string, unknown>[]>
  /** A condition: the column has none of the texts of an array, which is this parameter. */
  isNoneOf(column: string, parameter: string): string
  close(): Promise<void>
}

/** What is asked of the journal, in SQL that both stores understand, except for arrays. */
export function journalReader({ read, isNoneOf, close }: JournalStore): JournalReader {
  const tenantIsNoneOf = (parameter: string) => isNoneOf('tenant_id', parameter)
  return {
    async begin() {
      const [row] = await read(beginQuery, [])
      return (row as JournalBegin | undefined) ?? { counts: null, refusals: null }
    },
    async counts(query) {
      const { sql, values } = countQuery(query, tenantIsNoneOf)
      return (await read(sql, values)) as CountSum[]
    },
    async refusals(query) {
      const { sql, values } = refusalQuery(query, tenantIsNoneOf)
      return (await read(sql, values)) as Refusal[]
    },
    async replays({ partnerId, orderFingerprint }) {
      const [begin] = await read('SELECT replays_since AS since FROM journal_key', [])
      const rows = await read(replayQuery, [partnerId, orderFingerprint, leftOut])
      return replaysOnRecord((begin?.since ?? null) as number | null, rows as StoredReplays[])
    },
    async keyUses(now, partnerId) {
      const { where, values } = conditions([['partner_id =', partnerId]])
      values.push(keyUsesUntil(now))
      const isAhead = `CASE WHEN at > $${values.length} THEN 1 ELSE 0 END`
      const sql = `SELECT ${keyUseColumns} FROM journal_key_uses WHERE ${where} ORDER BY key_id, ${isAhead} DESC, at`
      // Of each key, the row of the process that saw it last. One whose clock was ahead counts only if it is alone.
      const latest = new Map((await read(sql, values)).map((row) => [row.keyId, row as KeyUse]))
      return [...latest.values()]
    },
    async alerts(since, limit) {
      return (await read(alertStatements.since, [since, limit])).map(recordedAlert)
    },
    async sealedKey() {
      const [row] = await read(journalStatements.storedKey, [])
      return row === undefined ? null : (row.sealed as Uint8Array)
    },
    close,
  }
}

/** Not more than a number can be: a partner may be refused millions of huge awards. */
const mostPoints = `CAST(${Number.MAX_SAFE_INTEGER} AS numeric)`
const pointsSum = `CASE WHEN sum(points) > ${mostPoints} THEN ${mostPoints} ELSE sum(points) END`

const beginQuery = `SELECT (SELECT min(start) FROM journal_counts WHERE span = 'day') AS counts,
  (SELECT min(at) FROM journal_refusals) AS refusals`

const keyUseColumns = columns<KeyUse>('keyId', 'partnerId', 'at', 'clockDifferenceMs')
const refusalColumns = [
  columns<Refusal>('at', 'partnerId', 'keyId', 'tenantId', 'endpoint', 'code', 'cap', 'requested', 'used'),
  columns<Refusal>('requestId', 'orderFingerprint'),
  'cap_limit AS "limit"',
].join(', ')

const replayQuery = `
  SELECT ${columns<StoredReplays>('orderFingerprint', 'partnerId', 'keyId', 'replays', 'firstAt', 'lastAt')}
  FROM journal_replays WHERE partner_id = $1 AND order_fingerprint IN ($2, $3) ORDER BY first_at, key_id`

type StoredReplays = ReplayRecord & { orderFingerprint: string; keyId: string }

function replaysOnRecord(since: number | null, rows: StoredReplays[]): ReplaysOnRecord {
  const missing = rows.filter(({ orderFingerprint }) => orderFingerprint === leftOut)
  return {
    since,
    records: rows.filter(({ orderFingerprint }) => orderFingerprint !== leftOut),
    lastLeftOutAt: missing.length === 0 ? null : Math.max(...missing.map(({ lastAt }) => lastAt)),
  }
}

function countQuery(query: CountQuery, tenantIsNoneOf: Comparison): Statement {
  const { span, from, to, by, partnerId, tenantId, withoutTenants, endpoint, code } = query
  const { where, values } = conditions([
    ['span =', span],
    ['start >=', from],
    ['start <', to],
    ['partner_id =', partnerId],
    ['tenant_id =', tenantId],
    [tenantIsNoneOf, anyOf(withoutTenants)],
    ['endpoint =', endpoint],
    ['code =', code],
  ])
  const group = by.map((field: CountField) => columnOf(field)).join(', ')
  const selected = by.map((field) => `${columnOf(field)} AS "${field}", `).join('')
  const sql = `SELECT ${selected}CAST(sum(responses) AS bigint) AS responses, CAST(${pointsSum} AS bigint) AS points
    FROM journal_counts WHERE ${where} ${group === '' ? 'HAVING count(*) > 0' : `GROUP BY ${group} ORDER BY ${group}`}`
  return { sql, values }
}

function refusalQuery(query: RefusalQuery, tenantIsNoneOf: Comparison): Statement {
  const { where, values } = conditions([
    ['at >=', query.from],
    ['at <=', query.to],
    ['partner_id =', query.partnerId],
    ['tenant_id =', query.tenantId],
    [tenantIsNoneOf, anyOf(query.withoutTenants)],
    ['endpoint =', query.endpoint],
    ['code =', query.code],
    ['request_id =', query.requestId],
    ['order_fingerprint =', query.orderFingerprint],
  ])
  values.push(query.limit)
  const sql = `SELECT ${refusalColumns} FROM journal_refusals WHERE ${where}
    ORDER BY at DESC, request_id LIMIT $${values.length}`
  return { sql, values }
}

/** In one parameter: there may be more of them than a statement may have parameters, or conditions. */
function anyOf(tenantIds: readonly string[] = []): readonly string[] | undefined {
  return tenantIds.length === 0 ? undefined : tenantIds
}

type Statement = { sql: string; values: Value[] }
/** What comes before the parameter, or the condition with it. */
type Comparison = string | ((parameter: string) => string)

/** Those that have a value. */
function conditions(all: [comparison: Comparison, value: Value | undefined][]): {
  where: string
  values: Value[]
} {
  const given = all.filter((condition): condition is [Comparison, Value] => condition[1] !== undefined)
  const where = given
    .map(([comparison], at) =>
      typeof comparison === 'string' ? `${comparison} $${at + 1}` : comparison(`$${at + 1}`),
    )
    .join(' AND ')
  return { where: where === '' ? '1 = 1' : where, values: given.map(([, value]) => value) }
}
