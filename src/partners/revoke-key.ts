import { isoTime } from '../rules/iso-time.ts'
import { changeExistingPartner, type Operator } from './operator.ts'
import type { Key } from './partner-store.ts'
import { NotFound, Refused, refusedOnceDurable } from './refused.ts'

/** The key stops working within a second. If it was revoked before, perhaps another one was meant, so that is refused. */
export async function revokeKey(
  operator: Operator,
  keyId: string,
  /** Undefined: of any partner. */
  of?: string,
): Promise<{ partnerId: string; key: Key }> {
  const partnerId = await operator.store.holderOf(keyId)
  if (partnerId === undefined || (of !== undefined && partnerId !== of))
    throw new NotFound(`there is no key "${keyId}"`, "key list PARTNER shows a partner's keys")
  const after = await refusedOnceDurable(operator.store, () =>
    changeExistingPartner(operator, partnerId, 'key revoke', (before) => ({
      ...before,
      keys: before.keys.map((key) => (key.keyId === keyId ? revoked(key, operator.now) : key)),
    })),
  )
  return { partnerId, key: after.keys.find((key) => key.keyId === keyId)! }
}

function revoked(key: Key, now: number): Key {
  if (key.revokedAt !== null)
    throw new Refused(`the key "${key.keyId}" was already revoked at ${isoTime(key.revokedAt, 'keys')}`)
  return { ...key, revokedAt: now }
}
