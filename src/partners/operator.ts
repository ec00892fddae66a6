import type { Partner, PartnerStore } from './partner-store.ts'
import { Refused } from './refused.ts'

/** What every use case is given: where to write, who asks, and what time it is. */
export type Operator = { store: PartnerStore; actor: string; now: number }

/** Changes a partner that must exist. */
export async function changeExistingPartner(
  { store, actor, now }: Operator,
  partnerId: string,
  action: string,
  change: (before: Partner) => Partner,
): Promise<Partner> {
  return store.changePartner(partnerId, { actor, action, at: now }, (before) =>
    change(existing(partnerId, before)),
  )
}

export function existing(partnerId: string, partner: Partner | undefined): Partner {
  if (partner === undefined)
    throw new Refused(`there is no partner "${partnerId}": partner list shows them all`)
  return partner
}
