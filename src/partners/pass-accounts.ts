import type { AccountId } from '../rules/cursor.ts'
import type { Operator } from './operator.ts'

/** The change is made, but awards that were decided before it may still be committed for a moment. */
export class NotPassed extends Error {}

const shownMax = 5

/**
 * After a change that may allow less than before: when this has returned, no award is committed that was decided by
 * the old settings, on any node.
 */
export async function passAccounts({ store, onProgress }: Operator, accounts: AccountId[]): Promise<void> {
  let held: AccountId[]
  try {
    held = await store.passAccounts(accounts, onProgress)
  } catch (error) {
    throw new NotPassed(
      `the change is committed, but waiting for the awards in flight failed (${(error as Error).message}). ${advice}`,
      { cause: error },
    )
  }
  if (held.length === 0) return
  const names = held.slice(0, shownMax).map(({ partnerId, tenantId }) => `${partnerId} in ${tenantId}`)
  const more = held.length > shownMax ? ` and ${held.length - shownMax} more` : ''
  throw new NotPassed(
    `the change is committed, but ${held.length} of ${accounts.length} accounts stayed locked by transactions that began before it (${names.join(', ')}${more}). ${advice}`,
  )
}

const advice =
  'An award that began before the change may still be committed. Run the command again to wait for it'

/** The accounts of every partner that may use this tenant, or of all tenants. */
export async function accountsIn({ store }: Operator, tenantId?: string): Promise<AccountId[]> {
  const accounts = (await store.partners()).flatMap(({ partnerId, grants }) =>
    grants.map((grant) => ({ partnerId, tenantId: grant.tenantId })),
  )
  return accounts.filter((account) => tenantId === undefined || account.tenantId === tenantId)
}
