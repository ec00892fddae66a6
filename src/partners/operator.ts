import { controlCharacterRule, hasControlCharacters } from '../rules/control-characters.ts'
import type { AdmittedAs, Change, NamedTenants, Origin, Partner, PartnerStore } from './partner-store.ts'
import { passAccounts } from './pass-accounts.ts'
import { NotFound, Refused } from './refused.ts'

/** The parameters of every use case: the store, who makes the change, from where and why, and the time. */
export type Operator = {
  store: PartnerStore
  actor: string
  now: number
  reason?: string | null
  /** Undefined: the service acts by itself. */
  origin?: Origin
  address?: string | null
  admittedAs?: AdmittedAs
  /** The progress of a long change, from 0 to 1. */
  onProgress?: (done: number) => void
}

/** Who makes a change, whatever store it is in. */
export type Actor = Omit<Operator, 'store' | 'onProgress'>

const reasonLengthMax = 500

/** The part of an audit row that says who made the change. */
export function changeBy(operator: Actor, action: string): Change {
  const { actor, now, reason = null, origin = 'service', address = null, admittedAs = null } = operator
  if (reason !== null && (reason.trim() === '' || [...reason].length > reasonLengthMax)) {
    throw new Refused(`the reason must have 1 to ${reasonLengthMax} characters`)
  }
  if (reason !== null && hasControlCharacters(reason)) throw new Refused(`the reason ${controlCharacterRule}`)
  return { actor, action, at: now, reason, origin, address, admittedAs }
}

/** Changes a partner that must exist. */
export async function changeExistingPartner(
  operator: Operator,
  partnerId: string,
  action: string,
  change: (before: Partner) => Partner,
  named?: NamedTenants,
): Promise<Partner> {
  return operator.store.changePartner(
    partnerId,
    changeBy(operator, action),
    (before) => change(existing(partnerId, before)),
    named,
  )
}

/** Changes what a partner may award. After it has returned, no award is committed under the old settings. */
export async function changeTerms(
  operator: Operator,
  partnerId: string,
  action: string,
  change: (before: Partner) => Partner,
): Promise<Partner> {
  const after = await changeExistingPartner(operator, partnerId, action, change)
  // In every tenant, because a tenant that was denied a moment ago may still have an award in flight.
  const tenants = await operator.store.tenantModes()
  await passAccounts(
    operator,
    tenants.map(({ tenantId }) => ({ partnerId, tenantId })),
  )
  return after
}

function existing(partnerId: string, partner: Partner | undefined): Partner {
  if (partner === undefined)
    throw new NotFound(`there is no partner "${partnerId}"`, 'partner list shows them all')
  return partner
}
