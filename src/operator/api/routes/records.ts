import { Type } from 'typebox'
import { alertKinds } from '../../../alerts/alert.ts'
import { alerts as answerAlerts } from '../../../answers/alerts.ts'
import { audit } from '../../../answers/audit.ts'
import { csv } from '../../../answers/csv.ts'
import { readCursor, writeCursor } from '../cursor.ts'
import { limitOf, pageParameters } from '../page-parameters.ts'
import { route } from '../route.ts'
import { alertList } from '../schemas/alerts.ts'
import { auditTrail } from '../schemas/records.ts'
import { exact, oneOf, partnerId, tenantId } from '../schemas/values.ts'
import { readTime, readUntil, sinceParameter, untilParameter } from '../times.ts'

const tag = 'Records'

export const recordRoutes = [
  route({
    method: 'GET',
    path: '/audit',
    tag,
    summary: 'Who changed what, when and why',
    description: 'Newest first. As JSON or CSV, by Accept or by `format`.',
    needs: 'audit.read',
    query: exact({
      since: sinceParameter('Only changes since then.'),
      until: untilParameter('Before then; up to now if absent.'),
      partnerId: Type.Optional(partnerId),
      tenantId: Type.Optional(tenantId),
      upTo: Type.Optional(Type.Integer({ minimum: 1, description: 'Only rows up to this number.' })),
      ...pageParameters,
      format: Type.Optional(oneOf(['json', 'csv'], 'For links in a browser; otherwise Accept decides.')),
    }),
    response: auditTrail,
    formats: ['text/csv'],
    async handle({ query, now, parts, format }) {
      const { queries } = await parts.sources()
      const [after] = readCursor('audit', query.cursor, ['number']) ?? [Number.POSITIVE_INFINITY]
      const before = Math.min(after, (query.upTo ?? Number.POSITIVE_INFINITY) + 1)
      const since = query.since === undefined ? undefined : readTime('since', query.since, now)
      const until = query.until === undefined ? undefined : readUntil('until', query.until, now)
      const { partnerId: partner, tenantId: tenant } = query
      const limit = limitOf(query)
      const answer = await audit(queries, {
        since,
        until,
        partnerId: partner,
        tenantId: tenant,
        before,
        limit,
      })
      const last = answer.changes.at(-1)
      const nextCursor =
        last === undefined || answer.older === 0 ? null : writeCursor('audit', [last.auditSeq])
      const body = { ...answer, nextCursor }
      if (format === null) return { body }
      const headers: Record<string, string> = { 'content-disposition': 'attachment; filename="audit.csv"' }
      if (nextCursor !== null) headers['x-next-cursor'] = nextCursor
      return { body, text: `${auditCsv(answer.changes)}\n`, headers }
    },
  }),

  route({
    method: 'GET',
    path: '/alerts',
    tag,
    summary: 'What operators should notice',
    description: 'Raised since then, or open; newest first.',
    needs: 'figures.read',
    query: exact({
      since: sinceParameter('Since then; 24h if absent.'),
      partnerId: Type.Optional(partnerId),
      kind: Type.Optional(oneOf(alertKinds)),
      limit: pageParameters.limit,
    }),
    response: alertList,
    async handle({ query, now, parts }) {
      const { queries, journal } = await parts.sources()
      const { since = '24h', partnerId: partner, kind } = query
      const question = {
        since: readTime('since', since, now),
        partnerId: partner,
        kind,
        limit: limitOf(query),
      }
      return { body: await answerAlerts(queries, journal, question) }
    },
  }),
]

type Changes = Awaited<ReturnType<typeof audit>>['changes']

const columns = ['auditSeq', 'at', 'actor', 'origin', 'address', 'action', 'subject', 'reason'] as const

function auditCsv(changes: Changes): string {
  return csv([
    [...columns, 'changes'],
    ...changes.map((change) => [
      ...columns.map((column) => change[column] ?? ''),
      change.changes
        .map(
          ({ field, before, after }) => `${field}: ${valueText(field, before)} → ${valueText(field, after)}`,
        )
        .join('; '),
    ]),
  ])
}

function valueText(field: string, value: unknown): string {
  if (value === null) return /per(Tx|PartnerDay|UserDay)$/.test(field) ? 'not set' : 'none'
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
