import { changeBy, type Operator } from './operator.ts'
import type { Tenant } from './partner-store.ts'
import { Refused } from './refused.ts'

/** perUserDay belongs to the tenant: it counts a user's EP of all partners. Null: the service's default. */
export function setTenantCaps(
  operator: Operator,
  tenantId: string,
  perUserDay: number | null,
): Promise<Tenant> {
  return operator.store.changeTenant(tenantId, changeBy(operator, 'tenant caps'), (before) => {
    if (before === undefined)
      throw new Refused(`there is no tenant "${tenantId}": tenant list shows them all`)
    return { ...before, perUserDay }
  })
}
