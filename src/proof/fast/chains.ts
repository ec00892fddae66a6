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

/** A power of two. */
const placesCount = 16_384

/**
 * The chains of all accounts. A Map interns every string that it looks up, which takes as long as reading the string
 * from the file. So a direct-mapped cache, indexed by hash, is tried first.
 */
export function createChains(): Chains {
  const byName = new Map<string, Chain>()
  const lately: (Chain | undefined)[] = Array.from({ length: placesCount })

  function named({ partnerId, tenantId }: AccountId): Chain {
    const name = nameOf({ partnerId, tenantId })
    const known = byName.get(name)
    if (known !== undefined) return known
    const { headHash, ...empty } = emptyAccount
    const chain = { partnerId, tenantId, ...empty, head: byteTextOf(headHash) }
    byName.set(name, chain)
    return chain
  }

  return {
    of(id) {
      const { partnerId, tenantId } = id
      const place = hashOf(tenantId, hashOf(partnerId, 0)) & (placesCount - 1)
      const last = lately[place]
      if (last !== undefined && last.partnerId === partnerId && last.tenantId === tenantId) return last
      const chain = named(id)
      lately[place] = chain
      return chain
    },
    take(id) {
      const name = nameOf(id)
      const chain = byName.get(name)
      if (chain === undefined) return null
      byName.delete(name)
      return { ...chain, headHash: bytesOf(chain.head) }
    },
    isEmpty: () => byName.size === 0,
  }
}

function hashOf(text: string, start: number): number {
  let hash = start
  for (let index = 0; index < text.length; index++) hash = (Math.imul(hash, 31) + text.charCodeAt(index)) | 0
  return hash
}

function nameOf({ partnerId, tenantId }: AccountId): string {
  return JSON.stringify([partnerId, tenantId])
}
