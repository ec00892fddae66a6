import type { PartnerPlan } from './stage.ts'

/** Enough of them that the history of an account stays short in a long run, so that a walk is quick. */
export function tenantsOf(count: number): string[] {
  return Array.from({ length: count }, (_, n) => `t${n + 1}`)
}

/** The usual two partners, with enough accounts for a long run; the second reaches its cap in each of its accounts. */
export const manyAccounts: PartnerPlan[] = [
  { partnerId: 'acme', tenants: tenantsOf(40) },
  { partnerId: 'globex', tenants: tenantsOf(20), perPartnerDay: 1_000 },
]
