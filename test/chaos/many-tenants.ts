import type { PartnerPlan } from './stage.ts'

/** So many that the history of an account stays short in a long run: a walk is then a matter of moments. */
export function tenantsOf(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `t${n + 1}`)
}

/** The usual two partners with accounts enough for a long run; the second runs into its cap in each of its own. */
export const manyAccounts: PartnerPlan[] = [
  { partnerId: 'acme', tenants: tenantsOf(40) },
  { partnerId: 'globex', tenants: tenantsOf(20), perPartnerDay: 1_000 },
]
