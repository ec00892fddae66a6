import type { RawDatabase } from '../support/raw-database.ts'
import { Divergence } from './divergence.ts'
import { dayOf, type Model } from './model.ts'
import type { AuditLine } from './operating.ts'
import { auditSummary } from './settings.ts'

/** Compares what is really stored, entry by entry and counter by counter, with the model. */
export async function compareLedger(
  raw: RawDatabase,
  model: Model,
  { actor, audit }: { actor: string; audit: AuditLine[] },
): Promise<void> {
  const partners = listOf([...model.partners.keys()])
  const tenants = listOf([...model.tenants.keys()])
  const histories = [...model.histories.values()].filter(({ length }) => length > 0)

  const entries = await lines(
    raw,
    `SELECT partner_id, tenant_id, seq, ep_transaction_id, order_id, user_email, note, meta, raw_amount,
            amount_per_ep, points, awarded_at, per_tx, per_partner_day, per_user_day, partner_day_total
     FROM entries WHERE partner_id IN (${partners})`,
  )
  const expectedEntries = histories.flatMap((history) =>
    history.map(({ caps, ...entry }, index) =>
      line([
        ...[entry.partnerId, entry.tenantId, index + 1, entry.id, entry.orderId, entry.userEmail],
        ...[entry.note, entry.meta, entry.amount, 1000, entry.points, entry.awardedAt],
        ...[caps.perTx, caps.perPartnerDay, caps.perUserDay, entry.partnerDayTotal],
      ]),
    ),
  )
  compare('entries', entries, expectedEntries)

  // A row without an award equals no row: it was created to be locked, and its transaction had never begun.
  const accounts = await lines(
    raw,
    `SELECT partner_id, tenant_id, seq, awarded_at, day, day_points FROM accounts
     WHERE partner_id IN (${partners}) AND seq > 0`,
  )
  const expectedAccounts = histories.map((history) => {
    const { partnerId, tenantId, awardedAt, partnerDayTotal } = history.at(-1)!
    return line([partnerId, tenantId, history.length, awardedAt, dayOf(awardedAt), partnerDayTotal])
  })
  compare('accounts', accounts, expectedAccounts)

  const userDays = await lines(
    raw,
    `SELECT tenant_id, user_email, day, points FROM user_days WHERE tenant_id IN (${tenants}) AND points > 0`,
  )
  const expectedUserDays = [...model.userDays.values()].map(({ tenantId, userEmail, day, points }) =>
    line([tenantId, userEmail, day, points]),
  )
  compare('user_days', userDays, expectedUserDays)
  await compareAudit(raw, model, { actor, audit })
}

/** One row for each change, in order; its "before" is what the previous change left. */
async function compareAudit(
  raw: RawDatabase,
  model: Model,
  { actor, audit }: { actor: string; audit: AuditLine[] },
): Promise<void> {
  const partners = [...model.partners.keys()].map((id) => `partner ${id}`)
  const tenants = [...model.tenants.keys()].map((id) => `tenant ${id}`)
  const subjects = [...partners, ...tenants, 'defaults']
  const all = await raw.rows(
    `SELECT subject, action, at, before, after FROM audit
     WHERE subject IN (${listOf(subjects)}) AND actor = '${actor}' ORDER BY audit_seq`,
  )
  for (const subject of subjects) {
    const rows = all.filter((row) => row.subject === subject)
    const own = audit.filter((row) => row.subject === subject)
    const written = rows.map(({ action, at, after }) => line([action, at, summaryOf(after)]))
    const expected = own.map(({ action, at, after }) => line([action, at, after]))
    compareInOrder(`audit of ${subject}`, written, expected)
    const befores = rows.slice(1).map(({ before }) => summaryOf(before))
    const afters = own.slice(0, -1).map(({ after }) => after)
    compareInOrder(`audit of ${subject}, before each change`, befores, afters)
  }
}

function summaryOf(text: unknown): string {
  return auditSummary(JSON.parse(String(text)))
}

function compare(what: string, written: string[], expected: string[]): void {
  const byText = (a: string, b: string) => (a < b ? -1 : 1)
  compareInOrder(what, written.toSorted(byText), expected.toSorted(byText))
}

function compareInOrder(what: string, written: string[], expected: string[]): void {
  const at = Array.from({ length: Math.max(written.length, expected.length) }).findIndex(
    (_, index) => written[index] !== expected[index],
  )
  if (at !== -1) throw new Divergence(`${what}: ${written[at]} is written, not ${expected[at]}`)
}

function listOf(ids: string[]): string {
  return ids.map((id) => `'${id}'`).join(', ')
}

/** Rows as lines: PostgreSQL's driver returns big integers as text, so both are written in the same way. */
async function lines(raw: RawDatabase, sql: string): Promise<string[]> {
  return (await raw.rows(sql)).map((row) => line(Object.values(row)))
}

function line(values: unknown[]): string {
  return JSON.stringify(values.map((value) => (value === null ? null : String(value))))
}
