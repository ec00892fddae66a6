import { changeExistingPartner, type Operator } from './operator.ts'
import type { Key } from './partner-store.ts'
import { NotFound } from './refused.ts'

/** The key stops working within a second. A key that is already revoked keeps its first date. */
export async function revokeKey(
  operator: Operator,
  keyId: string,
  /** Undefined: of any partner. */
  of?: string,
): Promise<{ partnerId: string; key: Key }> {
  const partnerId = await operator.store.holderOf(keyId)
  if (partnerId === undefined || (of !== undefined && partnerId !== of))
    throw new NotFound(`there is no key "${keyId}"`, "key list PARTNER shows a partner's keys")
  const after = await changeExistingPartner(operator, partnerId, 'key revoke', (before) => ({
    ...before,
    keys: before.keys.map((key) =>
      key.keyId === keyId ? { ...key, revokedAt: key.revokedAt ?? operator.now } : key,
    ),
  }))
  return { partnerId, key: after.keys.find((key) => key.keyId === keyId)! }
}
