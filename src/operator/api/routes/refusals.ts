import { Type } from 'typebox'
import { explainRefusal, refusedAwardNow } from '../../../answers/explain-refusal.ts'
import { namedUser } from '../../../answers/named.ts'
import { refusals } from '../../../answers/refusals.ts'
import { refusalCodes } from '../../../journal/result-code.ts'
import { refusalForPartner } from '../../console/site/words/refusal-for-partner.ts'
import { notOfThisList, readCursor, writeCursor } from '../cursor.ts'
import { limitOf, pageParameters } from '../page-parameters.ts'
import { ApiProblem } from '../problem.ts'
import { route } from '../route.ts'
import { explainedRefusal, forecast, refusalList } from '../schemas/refusals.ts'
import { address } from '../schemas/users.ts'
import { exact, oneOf, partnerId, tenantId, text } from '../schemas/values.ts'
import { readTime, readUntil, sinceParameter, untilParameter } from '../times.ts'
import { writeUserRef } from '../user-ref.ts'

const tag = 'Refusals'
/** More than are ever recorded in a millisecond. A cursor that was made by hand must not make us read all of them. */
const sameTimeMax = 10_000
const refusalParameter = exact({
  requestId: text('The id of the request, as the partner has it in the response.'),
})
const refusalPlace = exact({
  partnerId: Type.Optional(partnerId),
  at: Type.Optional(text('Its time. A caller may use an id again: without both, it is the newest refusal.')),
})

function placeOf(params: { requestId: string }, query: { partnerId?: string; at?: string }, now: number) {
  const { partnerId, at } = query
  return { ...params, partnerId, at: at === undefined ? undefined : readTime('at', at, now) }
}

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
      if (shown > sameTimeMax) throw notOfThisList()
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
    params: refusalParameter,
    query: refusalPlace,
    response: explainedRefusal,
    async handle({ params, query, now, parts }) {
      const place = placeOf(params, query, now)
      const explained = await explainRefusal(await parts.sources(), { place, now })
      if (explained === null)
        throw new ApiProblem('NOT_FOUND', `no refusal of the request "${params.requestId}" is on record`)
      const { refusal, partnerStatus } = explained
      return { body: { ...explained, forPartner: refusalForPartner(refusal, null, partnerStatus) } }
    },
  }),

  route({
    method: 'POST',
    path: '/refusals/{requestId}/now',
    tag,
    summary: 'What would happen to a refused award now, to a user',
    description:
      'The journal does not keep whose award it was: say it. By POST, because an address never stands in a URL. Nothing is changed.',
    needs: 'personal.read',
    personalData: true,
    params: refusalParameter,
    query: refusalPlace,
    body: exact({ email: address }),
    response: forecast,
    async handle(call) {
      const { params, query, body, now, parts } = call
      const question = { place: placeOf(params, query, now), userEmail: body.email, now }
      const known = await refusedAwardNow(await parts.sources(), question)
      if (known === null)
        throw new ApiProblem(
          'NOT_FOUND',
          `no refused award of the request "${params.requestId}" is on record, or not how many EP it had`,
        )
      const user = { tenantId: known.tenantId, userEmail: namedUser(body.email) }
      call.concerns(`user ${writeUserRef(await parts.masterKey(), user)} in ${known.tenantId}`)
      return { body: known }
    },
  }),
]

/** Behind this many rows. */
function cursorAfter(rows: { at: string }[], count: number): string {
  const { at } = rows[count - 1]!
  const shown = rows.slice(0, count).filter((row) => row.at === at).length
  return writeCursor('refusals', [Date.parse(at), shown])
}
