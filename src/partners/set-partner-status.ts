import { changeExistingPartner, changeTerms, type Operator } from './operator.ts'
import type { Partner } from './partner-store.ts'

/** A suspended partner can read its history and replay known orders. New awards are refused. */
export function suspendPartner(operator: Operator, partnerId: string): Promise<Partner> {
  return changeTerms(operator, partnerId, 'partner suspend', (before) => ({
    ...before,
    status: 'suspended',
  }))
}

export function resumePartner(operator: Operator, partnerId: string): Promise<Partner> {
  return changeExistingPartner(operator, partnerId, 'partner resume', (before) => ({
    ...before,
    status: 'active',
  }))
}
