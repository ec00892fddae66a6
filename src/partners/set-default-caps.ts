import type { Caps } from '../rules/caps.ts'
import { changeBy, type Operator } from './operator.ts'
import type { DefaultCaps } from './partner-store.ts'

/** Caps that are not given stay as they are. */
export function setDefaultCaps(operator: Operator, caps: Partial<Caps>): Promise<DefaultCaps> {
  return operator.store.changeDefaultCaps(changeBy(operator, 'defaults caps'), (before) => ({
    ...before,
    ...caps,
    setAt: operator.now,
  }))
}
