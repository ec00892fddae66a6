import { idRule, isId } from '../rules/id.ts'
import type { TenantMode } from '../rules/tenant-mode.ts'
import { changeExistingPartner, changeTerms, type Operator } from './operator.ts'
import type { Partner } from './partner-store.ts'
import { passAccounts } from './pass-accounts.ts'
import { Refused } from './refused.ts'

export async function allowTenant(
  operator: Operator,
  partnerId: string,
  tenantId: string,
  mode: TenantMode = 'live',
): Promise<Partner> {
  if (!isId(tenantId)) throw new Refused(`the tenant "${tenantId}" ${idRule}`)
  return changeExistingPartner(
    operator,
    partnerId,
    'partner allow',
    (before) =>
      before.grants.some((grant) => grant.tenantId === tenantId)
        ? before
        : { ...before, grants: [...before.grants, { tenantId, perTx: null, perPartnerDay: null }] },
    new Map([[tenantId, mode]]),
  )
}

/** Removes a tenant with its cap overrides. Awards in it stay. */
export async function denyTenant(operator: Operator, partnerId: string, tenantId: string): Promise<Partner> {
  let wasGranted = true
  try {
    return await changeTerms(operator, partnerId, 'partner deny', (before) => {
      const grants = before.grants.filter((grant) => grant.tenantId !== tenantId)
      wasGranted = grants.length < before.grants.length
      if (wasGranted) return { ...before, grants }
      throw new Refused(
        `"${partnerId}" has no tenant "${tenantId}": partner show ${partnerId} lists its tenants`,
      )
    })
  } catch (error) {
    // The first run may have stopped waiting, for the standby or for awards. A second run waits for the same.
    if (!wasGranted) {
      await operator.store.settle()
      await passAccounts(operator, [{ partnerId, tenantId }])
    }
    throw error
  }
}
