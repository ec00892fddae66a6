import { Type } from 'typebox'
import { explainRefusal } from '../../../answers/explain-refusal.ts'
import { refusals } from '../../../answers/refusals.ts'
import { refusalCodes } from '../../../journal/result-code.ts'
import { refusalForPartner } from '../../console/site/words/refusal-for-partner.ts'
import { readCursor, writeCursor } from '../cursor.ts'
import { limitOf, pageParameters } from '../page-parameters.ts'
import { ApiProblem } from '../problem.ts'
import { route } from '../route.ts'
import { explainedRefusal, refusalList } from '../schemas/refusals.ts'
import { exact, oneOf, partnerId, tenantId, text } from '../schemas/values.ts'
import { readTime, readUntil, sinceParameter, untilParameter } from '../times.ts'

const tag = 'Refusals'

export const refusalRoutes = [
  route({
    method: 'GET',
    path: '/refusals',
    tag,
    summary: 'What was refused, and why',
    description:
      'Counts are complete. Single refusals are kept for a limited time, and up to a quota per hour.',
    needs: 'awards.read',
    query: exact({
      since: sinceParameter('Since then; 24h if absent.'),
      until: untilParameter('Before then; up to now if absent.'),
      partnerId: Type.Optional(partnerId),
      tenantId: Type.Optional(tenantId),
      code: Type.Optional(oneOf(refusalCodes)),
      endpoint: Type.Optional(oneOf(['award', 'history'], 'Only requests of this kind.')),
      sandbox: Type.Optional(
        Type.Boolean({ description: 'False: without sandbox tenants, unless one is named.' }),
      ),
      ...pageParameters,
    }),
    response: refusalList,
    async handle({ query, now, parts }) {
      const { since = '24h', until, sandbox = true, cursor: _, limit: __, ...only } = query
      const limit = limitOf(query)
      // Several may have the same time: `shown` of those at the end of the last page are skipped.
      const [rowsTo, shown] = readCursor('refusals', query.cursor, ['number', 'number']) ?? [undefined, 0]
      const question = {
        ...only,
        since: readTime('since', since, now),
        until: until === undefined ? undefined : readUntil('until', until, now),
        withoutSandboxes: !sandbox,
        now,
        rowsTo,
        limit: limit + shown + 1,
      }
      const answer = await refusals(await parts.sources(), question)
      const rows = answer.rows.slice(shown, shown + limit)
      const last = rows.at(-1)
      const hasMore = last !== undefined && answer.rows.length > shown + limit
      return {
        body: { ...answer, rows, nextCursor: hasMore ? cursorAfter(answer.rows, shown + limit) : null },
      }
    },
  }),

  route({
    method: 'GET',
    path: '/refusals/{requestId}',
    tag,
    summary: 'One refusal explained',
    description: 'The checks up to the one that failed, what would happen now, and a text for the partner.',
    needs: 'awards.read',
    params: exact({ requestId: text('The id of the request, as the partner has it in the response.') }),
    response: explainedRefusal,
    async handle({ params, now, parts }) {
      const explained = await explainRefusal(await parts.sources(), { requestId: params.requestId, now })
      if (explained === null)
        throw new ApiProblem('NOT_FOUND', `no refusal of the request "${params.requestId}" is on record`)
      const { refusal, partnerStatus } = explained
      return { body: { ...explained, forPartner: refusalForPartner(refusal, null, partnerStatus) } }
    },
  }),
]

/** Behind this many rows. */
function cursorAfter(rows: { at: string }[], count: number): string {
  const { at } = rows[count - 1]!
  const shown = rows.slice(0, count).filter((row) => row.at === at).length
  return writeCursor('refusals', [Date.parse(at), shown])
}
