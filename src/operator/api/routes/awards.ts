import { explain } from '../../../answers/explain.ts'
import { find } from '../../../answers/find.ts'
import { kindsOf, transactionIdOf } from '../../../answers/find-kinds.ts'
import { rolesWith } from '../../access/permissions.ts'
import { ApiProblem } from '../problem.ts'
import { type Call, route } from '../route.ts'
import { explainedAward, findAnswer, findQuestion } from '../schemas/awards.ts'
import { exact, text } from '../schemas/values.ts'
import { silentSearch } from '../silent-search.ts'
import { writeUserRef } from '../user-ref.ts'

const tag = 'Awards'
const whoCan = `that needs the permission personal.read, which the roles ${rolesWith('personal.read').join(' and ')} have`

export const awardRoutes = [
  route({
    method: 'POST',
    path: '/find',
    tag,
    summary: 'Find an order, a user, a transaction or a refused request',
    description: 'By POST, because what is searched for may be an address, which never stands in a URL.',
    needs: 'awards.read',
    personalData: true,
    body: findQuestion,
    response: findAnswer,
    async handle(call) {
      const { seesPersonalData, body, parts } = call
      const kinds = kindsOf(body.text, body.as)
      const hidden = !seesPersonalData && kinds.has('email')
      if (hidden && kinds.size === 1)
        throw new ApiProblem('NOT_PERMITTED', `your role cannot search for an address: ${whoCan}`)
      const found = await find(await parts.sources(), { ...body, withoutAddresses: hidden }, silentSearch)
      call.concerns(`find as ${found.searchedAs.join(', ')}`)
      const credited = await Promise.all(found.credited.map((award) => withPersonalData(call, award)))
      const notSearched = hidden ? [...found.notSearched, `addresses, because ${whoCan}`] : found.notSearched
      return { body: { ...found, credited, notSearched } }
    },
  }),

  route({
    method: 'GET',
    path: '/awards/{epTransactionId}',
    tag,
    summary: 'One award explained',
    description:
      'Why it has so many EP: the arithmetic, the caps in force then and who set them, its place in the chain.',
    needs: 'awards.read',
    personalData: true,
    params: exact({ epTransactionId: text('The id of the award.') }),
    response: explainedAward,
    async handle(call) {
      const { params, now, parts } = call
      const sources = await parts.sources()
      // PostgreSQL refuses to compare an id with anything else, and its error, which is logged, repeats the text.
      const id = transactionIdOf(params.epTransactionId)
      const [entry] = id === null ? [] : await sources.queries.entriesOfId(id, silentSearch)
      if (entry === undefined)
        throw new ApiProblem('NOT_FOUND', `there is no award "${params.epTransactionId}"`)
      call.concerns(`award ${entry.epTransactionId}`)
      const { partnerId, orderId } = entry
      const explained = await explain(sources, { partnerId, orderId, supposed: {}, now })
      if (!explained.credited)
        throw new ApiProblem('NOT_FOUND', `there is no award "${params.epTransactionId}"`)
      return { body: await withPersonalData(call, explained) }
    },
  }),
]

type Personal = { tenantId: string; userEmail: string; note: string | null }

/** With a reference to the user; without address and note for roles that do not see them. */
async function withPersonalData<T extends Personal>(
  { seesPersonalData, parts }: Pick<Call, 'seesPersonalData' | 'parts'>,
  award: T,
): Promise<Omit<T, 'userEmail'> & { userEmail: string | null; userRef: string | null }> {
  if (!seesPersonalData) return { ...award, userEmail: null, note: null, userRef: null }
  return { ...award, userRef: writeUserRef(await parts.masterKey(), award) }
}
