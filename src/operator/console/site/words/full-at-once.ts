import { counted, grouped } from './numbers.ts'

type UsedAccount = { partnerId?: string; tenantId: string; points: number }

/** More are only counted: a default cap may be that of a thousand accounts. */
const namedMax = 3

/**
 * That a new daily cap leaves nothing of today, because as much is credited already; null: something is left everywhere.
 * An account is named with its partner, if it has one.
 */
export function fullAtOnce(cap: number, accounts: readonly UsedAccount[]): string | null {
  const full = accounts.filter(({ points }) => cap <= points)
  if (full.length === 0) return null
  const said = full
    .slice(0, namedMax)
    .map(
      ({ partnerId, tenantId, points }) =>
        `${grouped(cap)} is ${comparedTo(cap, points)} today's ${grouped(points)} EP${partnerId === undefined ? '' : ` of ${partnerId}`} in ${tenantId}: further awards of today will be refused.`,
    )
  const others = full.length - said.length
  if (others > 0)
    said.push(
      `The same is true of ${counted(others, 'other account')} that ${others === 1 ? 'has' : 'have'} this cap.`,
    )
  return said.join(' ')
}

type UsedTenant = { tenantId: string; users: readonly { points: number }[] }

/** As many users of a tenant as the API names at most. */
const usersMax = 20

/** The same of perUserDay: how many users of each tenant have received as much today. */
export function usersFullAtOnce(cap: number, tenants: readonly UsedTenant[]): string | null {
  const said = tenants.flatMap(({ tenantId, users }) => {
    const full = users.filter(({ points }) => cap <= points)
    if (full.length === 0) return []
    const most = Math.max(...full.map(({ points }) => points))
    const many = `${full.length >= usersMax ? 'at least ' : ''}${counted(full.length, 'user')}`
    return [
      `In ${tenantId}, ${many} received ${full.length === 1 ? '' : 'up to '}${grouped(most)} EP today, which ${grouped(cap)} is ${comparedTo(cap, most)}: their further awards of today will be refused.`,
    ]
  })
  return said.length === 0 ? null : said.join(' ')
}

function comparedTo(cap: number, used: number): string {
  return cap < used ? 'below' : 'not above'
}
