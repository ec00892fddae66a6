import type { AccountId } from '../../rules/cursor.ts'
import { type Account, emptyAccount } from '../../rules/entry.ts'
import { type ByteText, bytesOf, byteTextOf } from '../../shortcuts/field-digest.ts'

/** How far the chain of one account has grown. */
type Chain = AccountId & Omit<Account, 'headHash'> & { head: ByteText }

export type Chains = {
  /** Of an account; one that was never asked for has not begun. */
  of(id: AccountId): Chain
  /** Returns what an account has come to, and forgets it. */
  take(id: AccountId): Account | null
  isEmpty(): boolean
}

/** The chains of all accounts. Two maps, because a forged table may hold any text as an id: joined ids could be equal. */
export function createChains(): Chains {
  const byPartner = new Map<string, Map<string, Chain>>()

  return {
    of({ partnerId, tenantId }) {
      let byTenant = byPartner.get(partnerId)
      if (byTenant === undefined) {
        byTenant = new Map()
        byPartner.set(partnerId, byTenant)
      }
      const known = byTenant.get(tenantId)
      if (known !== undefined) return known
      const { headHash, ...empty } = emptyAccount
      const chain = { partnerId, tenantId, ...empty, head: byteTextOf(headHash) }
      byTenant.set(tenantId, chain)
      return chain
    },
    take({ partnerId, tenantId }) {
      const byTenant = byPartner.get(partnerId)
      const chain = byTenant?.get(tenantId)
      if (byTenant === undefined || chain === undefined) return null
      byTenant.delete(tenantId)
      if (byTenant.size === 0) byPartner.delete(partnerId)
      return { ...chain, headHash: bytesOf(chain.head) }
    },
    isEmpty: () => byPartner.size === 0,
  }
}
