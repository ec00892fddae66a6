import { isoTime } from '../rules/iso-time.ts'
import { changeExistingPartner, type Operator } from './operator.ts'
import type { Key } from './partner-store.ts'
import { NotFound, Refused } from './refused.ts'

/**
 * The key stops working within a second. One that was revoked before keeps its date, and this throws once that is durable:
 * perhaps another key was meant, or the first attempt was not confirmed.
 */
export async function revokeKey(
  operator: Operator,
  keyId: string,
  /** Undefined: of any partner. */
  of?: string,
): Promise<{ partnerId: string; key: Key }> {
  const partnerId = await operator.store.holderOf(keyId)
  if (partnerId === undefined || (of !== undefined && partnerId !== of))
    throw new NotFound(`there is no key "${keyId}"`, "key list PARTNER shows a partner's keys")
  let revokedBefore: number | null = null
  const after = await changeExistingPartner(operator, partnerId, 'key revoke', (before) => ({
    ...before,
    keys: before.keys.map((key) => {
      if (key.keyId !== keyId) return key
      revokedBefore = key.revokedAt
      return { ...key, revokedAt: key.revokedAt ?? operator.now }
    }),
  }))
  if (revokedBefore !== null)
    throw new Refused(`the key "${keyId}" was already revoked at ${isoTime(revokedBefore, 'keys')}`)
  return { partnerId, key: after.keys.find((key) => key.keyId === keyId)! }
}
