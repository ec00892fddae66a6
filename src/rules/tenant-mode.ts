/** What a tenant's awards mean. Set when the tenant is made; it never changes. */
export type TenantMode = 'live' | 'sandbox'

/**
 * Awards in a sandbox tenant follow the same rules and are in the same ledger, but do not count. Responses say so,
 * and whatever adds up EP for people (statements, reports) leaves out the tenants for which this is true.
 */
export function isSandbox({ mode }: { mode: TenantMode }): boolean {
  return mode === 'sandbox'
}
