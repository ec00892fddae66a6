import { Type } from 'typebox'
import type { LedgerQueries } from '../../../answers/ledger-queries.ts'
import { namedTenant, namedUser } from '../../../answers/named.ts'
import { userHistory as answerHistory } from '../../../answers/user-history.ts'
import { storedDayText } from '../../../rules/iso-time.ts'
import { readCursor, writeCursor } from '../cursor.ts'
import { limitOf, pageParameters } from '../page-parameters.ts'
import { ApiProblem } from '../problem.ts'
import { route } from '../route.ts'
import { userHistory, userLookup, userReference } from '../schemas/users.ts'
import { exact, tenantId } from '../schemas/values.ts'
import { silentSearch } from '../silent-search.ts'
import { readUserRef, writeUserRef } from '../user-ref.ts'

const tag = 'Users'
/** Of one user. Each page is read from the newest award on. */
const awardsMax = 10_000

export const userRoutes = [
  route({
    method: 'POST',
    path: '/users',
    tag,
    summary: 'Get the reference of a user',
    description: 'By POST, because an address never stands in a URL. Whether the user has EP is not said.',
    needs: 'personal.read',
    personalData: false,
    body: userLookup,
    response: userReference,
    async handle({ body, parts }) {
      const { queries } = await parts.sources()
      await namedTenant(queries, body.tenantId)
      const user = { tenantId: body.tenantId, userEmail: namedUser(body.email) }
      return { body: { tenantId: body.tenantId, ref: writeUserRef(await parts.masterKey(), user) } }
    },
  }),

  route({
    method: 'GET',
    path: '/users/{tenantId}/{ref}',
    tag,
    summary: "A user's EP history",
    description: 'The awards of all partners in a tenant, newest first, with notes.',
    needs: 'personal.read',
    personalData: true,
    params: exact({ tenantId, ref: Type.String({ maxLength: 1_000, description: 'From `POST /users`.' }) }),
    query: exact(pageParameters),
    response: userHistory,
    async handle(call) {
      const { params, query, now, parts } = call
      const { queries } = await parts.sources()
      const user = readUserRef(await parts.masterKey(), params.tenantId, params.ref)
      call.concerns(`user ${params.ref} in ${params.tenantId}`)
      const limit = limitOf(query)
      const [lastShown, shown] = readCursor('user', query.cursor, ['string', 'number']) ?? [null, 0]
      const read = (count: number) => answerHistory(queries, { ...user, limit: count, now }, silentSearch)
      let history = await read(Math.min(awardsMax, shown + limit))
      let start = lastShown === null ? 0 : placeAfter(history.awards, lastShown)
      if (start === -1 || start > shown) {
        // Awards that arrived meanwhile are in front of those that were shown.
        history = await read(awardsMax)
        start = placeAfter(history.awards, lastShown!)
        if (start === -1) throw new ApiProblem('INVALID_REQUEST', 'the cursor is too old: start without it')
      }
      const awards = history.awards.slice(start, start + limit)
      const hasMore = history.awards.length > start + limit || history.hasMore
      const last = awards.at(-1)
      return {
        body: {
          ...history,
          ref: params.ref,
          months: await monthsOf(queries, user),
          awards,
          hasMore,
          nextCursor:
            hasMore && last !== undefined && start + limit < awardsMax
              ? writeCursor('user', [last.epTransactionId, start + awards.length])
              : null,
        },
      }
    },
  }),
]

/** -1: it is not among them. */
function placeAfter(awards: { epTransactionId: string }[], id: string): number {
  const at = awards.findIndex(({ epTransactionId }) => epTransactionId === id)
  return at === -1 ? -1 : at + 1
}

async function monthsOf(queries: LedgerQueries, user: { tenantId: string; userEmail: string }) {
  const months = new Map<string, number>()
  for (const { day, points } of await queries.userDays(user)) {
    const month = storedDayText(day, 'user_days').slice(0, 7)
    months.set(month, (months.get(month) ?? 0) + points)
  }
  return [...months].map(([month, points]) => ({ month, points }))
}
