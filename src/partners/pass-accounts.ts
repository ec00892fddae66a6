import type { AccountId } from '../rules/cursor.ts'
import type { PartnerStore } from './partner-store.ts'

/** The change is committed, but awards that were decided before it may still be committed for a moment. */
export class NotPassed extends Error {}

const shownMax = 5

/** The part of `Operator` that this needs. */
type Passing = { store: PartnerStore; onProgress?: (done: number) => void }

/**
 * Call it after a change that may allow less than before. When it has returned, no node commits an award that was decided
 * by the old settings.
 */
export async function passAccounts({ store, onProgress }: Passing, accounts: AccountId[]): Promise<void> {
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

/** The accounts of all partners in this tenant: one that was denied it a moment ago may still have an award in flight. */
export async function accountsIn({ store }: Passing, tenantId: string): Promise<AccountId[]> {
  return (await store.partnerIds()).map((partnerId) => ({ partnerId, tenantId }))
}

/** Longer than an award can be in flight, by any operator's clock. */
const deniedWithinMs = 600_000

/**
 * The accounts of all partners in their tenants, and in tenants that they were denied a moment ago, where an award may still
 * be in flight. All partners in all tenants would be too many.
 */
export async function accountsInUse({ store, now }: Passing & { now: number }): Promise<AccountId[]> {
  // In this order: what is denied in between is among the first, or else among the second.
  const granted = await store.grantedAccounts()
  return [...granted, ...(await store.deniedAccounts(now - deniedWithinMs))]
}
