import { changeBy, type Operator } from './operator.ts'
import type { Tenant } from './partner-store.ts'
import { accountsIn, passAccounts } from './pass-accounts.ts'
import { NotFound } from './refused.ts'

/** perUserDay belongs to the tenant, because it counts a user's EP from all partners. Null: the ledger's default. */
export async function setTenantCaps(
  operator: Operator,
  tenantId: string,
  perUserDay: number | null,
): Promise<Tenant> {
  const changed = await operator.store.changeTenant(tenantId, changeBy(operator, 'tenant caps'), (before) => {
    if (before === undefined)
      throw new NotFound(`there is no tenant "${tenantId}"`, 'tenant list shows them all')
    return { ...before, perUserDay }
  })
  await passAccounts(operator, await accountsIn(operator, tenantId))
  return changed
}
