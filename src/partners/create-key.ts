import { type Credentials, createCredentials } from '../access/credentials.ts'
import { changeExistingPartner, type Operator } from './operator.ts'
import type { Key } from './partner-store.ts'
import { NotFound, Refused } from './refused.ts'

export type IssuedKey = { partnerId: string; keyId: string } & Credentials

/** Adds a live key. The partner's other keys stay valid. */
export function createKey(operator: Operator, partnerId: string, masterKey: Uint8Array): Promise<IssuedKey> {
  return issueKey(operator, partnerId, masterKey, 'key create', (keys) => keys)
}

/** Creates a key. The other live keys expire after the overlap, so that the partner can switch without an interruption. */
export async function rotateKey(
  operator: Operator,
  partnerId: string,
  overlapMs: number,
  masterKey: Uint8Array,
): Promise<IssuedKey> {
  const [partner] = await operator.store.partners(partnerId)
  const known = new Set(partner?.keys.map(({ keyId }) => keyId))
  return issueKey(operator, partnerId, masterKey, 'key rotate', (keys) => {
    // Somebody is about to hand out a key that was created meanwhile: it must not expire without their knowledge.
    if (keys.some(({ keyId }) => !known.has(keyId))) {
      throw new Refused(
        `another key of "${partnerId}" was created at the same time: look at key list ${partnerId}, and rotate again if it is still needed`,
      )
    }
    return keys.map((key) => retired(key, operator.now, overlapMs))
  })
}

/** Without an overlap the key is revoked: servers would compare an expiry with their own clocks, which may be behind ours. */
function retired(key: Key, now: number, overlapMs: number): Key {
  if (overlapMs === 0) return { ...key, revokedAt: key.revokedAt ?? now }
  const expiresAt = now + overlapMs
  return { ...key, expiresAt: Math.min(key.expiresAt ?? expiresAt, expiresAt) }
}

type Replaced = { keyId: string; overlapMs: number }

/** The same for one of the keys: a partner may have a key for each of its systems. */
export function replaceKey(
  operator: Operator,
  partnerId: string,
  { keyId, overlapMs }: Replaced,
  masterKey: Uint8Array,
): Promise<IssuedKey> {
  return issueKey(operator, partnerId, masterKey, 'key rotate', (keys) => {
    assertReplaceable(keys, keyId, operator.now)
    return keys.map((key) => (key.keyId === keyId ? retired(key, operator.now, overlapMs) : key))
  })
}

function assertReplaceable(keys: Key[], keyId: string, now: number): void {
  const key = keys.find((one) => one.keyId === keyId)
  if (key === undefined)
    throw new NotFound(`there is no key "${keyId}"`, "key list PARTNER shows a partner's keys")
  if (key.revokedAt !== null) throw new Refused(`the key "${keyId}" is revoked: create another key instead`)
  if (key.expiresAt !== null && key.expiresAt <= now)
    throw new Refused(`the key "${keyId}" has expired: create another key instead`)
  // Perhaps a moment ago, by a second click or by somebody else. Only a rotation gives a key an end.
  if (key.expiresAt !== null)
    throw new Refused(
      `the key "${keyId}" was replaced before and expires at ${new Date(key.expiresAt).toISOString()}: to end it now, revoke it; for one more key, create one`,
    )
}

async function issueKey(
  operator: Operator,
  partnerId: string,
  masterKey: Uint8Array,
  action: string,
  retire: (keys: Key[]) => Key[],
): Promise<IssuedKey> {
  let issued: IssuedKey | undefined
  await changeExistingPartner(operator, partnerId, action, (before) => {
    const { credentials, sealed } = createCredentials(partnerId, masterKey)
    issued = { partnerId, keyId: sealed.keyId, ...credentials }
    const fresh = { ...sealed, createdAt: operator.now, expiresAt: null, revokedAt: null }
    return { ...before, keys: [...retire(before.keys), fresh] }
  })
  return issued!
}
