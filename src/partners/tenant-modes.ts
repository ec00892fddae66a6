import type { NamedTenants, Tenant } from './partner-store.ts'
import { Refused } from './refused.ts'

export function namedTenants(live: string[], sandbox: string[]): NamedTenants {
  const both = sandbox.find((tenantId) => live.includes(tenantId))
  if (both !== undefined)
    throw new Refused(`the tenant "${both}" is named as live and as sandbox: choose one`)
  return new Map([
    ...live.map((tenantId) => [tenantId, 'live'] as const),
    ...sandbox.map((tenantId) => [tenantId, 'sandbox'] as const),
  ])
}

/** Run inside the transaction that makes the new ones. Throws if one of them exists in the other mode. */
export function refuseOtherMode(existing: Tenant[], named: NamedTenants): void {
  const other = existing.find(({ tenantId, mode }) => (named.get(tenantId) ?? mode) !== mode)
  if (other === undefined) return
  const { tenantId, mode } = other
  const [option, wanted] = mode === 'live' ? ['--tenant', 'sandbox'] : ['--sandbox-tenant', 'live']
  throw new Refused(
    `the tenant "${tenantId}" is a ${mode} tenant, which never changes: name it with ${option}, or choose another id for the ${wanted} tenant`,
  )
}
