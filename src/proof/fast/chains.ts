import type { AccountId } from '../../rules/cursor.ts'
import { type Account, emptyAccount } from '../../rules/entry.ts'
import { accountFields } from '../../rules/entry-hash.ts'
import { AccountMap } from '../../shortcuts/account-map.ts'
import { type ByteText, bytesOf, byteTextOf } from '../../shortcuts/field-digest.ts'

/** How far the chain of one account has grown. */
type Chain = AccountId & Omit<Account, 'headHash'> & { head: ByteText; accountFields: Uint8Array }

export type Chains = {
  /** Of an account; one that was never asked for has not begun. */
  of(id: AccountId): Chain
  /** Returns what an account has come to, and forgets it. */
  take(id: AccountId): Account | null
  isEmpty(): boolean
}

export function createChains(): Chains {
  const chains = new AccountMap<Chain>()

  return {
    of(id) {
      const known = chains.get(id)
      if (known !== undefined) return known
      const { partnerId, tenantId } = id
      const { headHash, ...empty } = emptyAccount
      const chain = {
        partnerId,
        tenantId,
        ...empty,
        head: byteTextOf(headHash),
        accountFields: accountFields(id),
      }
      chains.set(id, chain)
      return chain
    },
    take(id) {
      const chain = chains.get(id)
      if (chain === undefined) return null
      chains.delete(id)
      return { ...chain, headHash: bytesOf(chain.head) }
    },
    isEmpty: () => chains.size === 0,
  }
}
