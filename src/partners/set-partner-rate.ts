import { changeExistingPartner, type Operator } from './operator.ts'
import type { Partner } from './partner-store.ts'

/** Requests per second, on each node; null: no limit. */
export function setPartnerRate(
  operator: Operator,
  partnerId: string,
  requestsPerSecond: number | null,
): Promise<Partner> {
  return changeExistingPartner(operator, partnerId, 'partner rate', (before) => ({
    ...before,
    requestsPerSecond,
  }))
}
