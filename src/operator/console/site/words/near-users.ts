type User = { userEmail: string | null; userRef: string | null; points: number }
type Tenant = { tenantId: string; sandbox: boolean; perUserDay: { limit: number }; users: User[] }

type NearUser = User & { tenantId: string; limit: number }

/** The service lists this many users of a tenant: where all of them are near their cap, there may be more. */
const listedMax = 20
const nearFrom = 0.8

/** The users of all live tenants who have used the most of perUserDay, the fullest first, and how many are near it. */
export function nearUsers(tenants: Tenant[]): { users: NearUser[]; near: number; isAtLeast: boolean } {
  const part = ({ points, limit }: NearUser) => (limit === 0 ? 1 : points / limit)
  const byTenant = tenants
    .filter(({ sandbox }) => !sandbox)
    .map(({ tenantId, perUserDay, users }) => users.map((user) => ({ ...user, tenantId, ...perUserDay })))
  const isNear = (user: NearUser) => part(user) >= nearFrom
  const users = byTenant.flat().sort((a, b) => part(b) - part(a))
  return {
    users,
    near: users.filter(isNear).length,
    isAtLeast: byTenant.some((list) => list.length >= listedMax && list.every(isNear)),
  }
}
