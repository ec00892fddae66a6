import { Type } from 'typebox'
import { readCursor, writeCursor } from '../cursor.ts'
import { limitOf, pageParameters } from '../page-parameters.ts'
import { isoTime } from '../../../rules/iso-time.ts'
import { readSettings } from '../../../answers/settings.ts'
import { route } from '../route.ts'
import { accountList } from '../schemas/figures.ts'
import { exact, partnerId, tenantId } from '../schemas/values.ts'

export const ledgerRoutes = [
  route({
    method: 'GET',
    path: '/accounts',
    tag: 'Ledger',
    summary: 'The accounts with the heads of their chains',
    description:
      'An account is a partner in a tenant that has had an award. Ordered by partnerId, then tenantId.',
    needs: 'verification.read',
    query: exact({
      partnerId: Type.Optional(partnerId),
      tenantId: Type.Optional(tenantId),
      ...pageParameters,
    }),
    response: accountList,
    async handle({ query, parts }) {
      const { queries } = await parts.sources()
      const { isSandbox } = await readSettings(queries)
      const after = readCursor('accounts', query.cursor, ['string', 'string'])
      const limit = limitOf(query)
      const all = (await queries.accounts({ partnerId: query.partnerId, tenantId: query.tenantId }))
        .sort((a, b) => compared(a.partnerId, b.partnerId) || compared(a.tenantId, b.tenantId))
        .filter(
          (account) =>
            after === null ||
            (compared(account.partnerId, after[0]) || compared(account.tenantId, after[1])) > 0,
        )
      const page = all.slice(0, limit)
      const items = page.map((account) => ({
        partnerId: account.partnerId,
        tenantId: account.tenantId,
        sandbox: isSandbox(account.tenantId),
        entries: account.seq,
        headHash: Buffer.from(account.headHash).toString('hex'),
        lastAwardAt: isoTime(account.awardedAt, 'accounts'),
      }))
      const last = page.at(-1)
      const hasMore = last !== undefined && all.length > limit
      return {
        body: {
          items,
          nextCursor: hasMore ? writeCursor('accounts', [last.partnerId, last.tenantId]) : null,
        },
      }
    },
  }),
]

function compared(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
