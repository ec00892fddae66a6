import { changeExistingPartner, type Operator } from './operator.ts'
import { nameProblem } from './partner-name.ts'
import type { Partner } from './partner-store.ts'
import { Refused } from './refused.ts'

/** What is not given stays as it is. */
type Details = {
  name?: string
  /** On each node; null: no limit. */
  requestsPerSecond?: number | null
}

/** Changes what has no effect on awards that are being decided. */
export async function setPartnerDetails(
  operator: Operator,
  partnerId: string,
  details: Details,
): Promise<Partner> {
  const problem = details.name === undefined ? null : nameProblem(details.name)
  if (problem !== null) throw new Refused(`the partner's name ${problem}`)
  return changeExistingPartner(operator, partnerId, 'partner change', (before) => ({ ...before, ...details }))
}
