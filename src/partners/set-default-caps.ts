import type { Caps } from '../rules/caps.ts'
import { changeBy, type Operator } from './operator.ts'
import type { DefaultCaps } from './partner-store.ts'
import { accountsInUse, passAccounts } from './pass-accounts.ts'

/** Caps that are not given stay as they are. */
export async function setDefaultCaps(operator: Operator, caps: Partial<Caps>): Promise<DefaultCaps> {
  const changed = await operator.store.changeDefaultCaps(changeBy(operator, 'defaults caps'), (before) => ({
    ...before,
    ...caps,
    setAt: operator.now,
  }))
  await passAccounts(operator, await accountsInUse(operator))
  return changed
}
