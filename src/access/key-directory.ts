import { randomBytes, timingSafeEqual } from 'node:crypto'
import { apiKeyHash, openSecret, type SealedKey } from './credentials.ts'
import { HmacKey } from './hmac-key.ts'
import { createKeyTable } from './key-table.ts'

/** Who signed a request, and what the doors need to know of them. */
export type Caller = {
  partnerId: string
  keyId: string
  tenants: ReadonlySet<string>
  requestsPerSecond: number | null
}

/**
 * Every key finds a secret to check against: its own or, if it is nobody's, a neighbour's, so that it costs the same
 * work in the same memory whether a key exists or not. Whose the key is may be asked when the signature has matched;
 * a revoked or expired one is nobody's.
 */
export type KeyDirectory = {
  find(apiKey: string, now: number): { secret: HmacKey; caller(): Caller | undefined }
}

/** Where the directory reads: every change an operator makes raises the version, in the same transaction. */
export type DirectorySource = {
  settingsVersion(): Promise<number>
  partners(): Promise<KeyHolder[]>
}

/** As much of a partner as its keys need. */
export type KeyHolder = {
  partnerId: string
  requestsPerSecond: number | null
  grants: { tenantId: string }[]
  keys: (SealedKey & { expiresAt: number | null; revokedAt: number | null })[]
}

const pollMs = 250

/**
 * The directory in memory. It asks for the version of the settings four times a second and reads them anew when it
 * has moved: a key made, revoked or expired counts within a second on every node. If the store is away the last
 * known state stays; nothing can be credited or read without the store anyway.
 */
export async function openKeyDirectory(
  source: DirectorySource,
  masterKey: Uint8Array,
  onError: (error: unknown) => void,
): Promise<KeyDirectory & { poll(): void; close(): void }> {
  let version = -1
  let rows: [DirectoryKey, ...DirectoryKey[]] = [nobody]
  let rowOf = createKeyTable(rows)

  async function refresh(): Promise<void> {
    const current = await source.settingsVersion()
    if (current === version) return
    const partners = await source.partners()
    // Secrets already opened are kept: opening thousands of them again would hold up the event loop.
    const opened = new Map(rows.map(({ caller, secret }) => [caller?.keyId, secret]))
    const secretOf = (partnerId: string, key: SealedKey) => opened.get(key.keyId) ?? open(partnerId, key)
    rows = [nobody, ...partners.flatMap((partner) => directoryKeys(partner, secretOf))]
    rowOf = createKeyTable(rows)
    version = current
  }

  /** A key that was damaged in the database is as good as none; the others still work. */
  function open(partnerId: string, key: SealedKey): HmacKey | undefined {
    try {
      return new HmacKey(openSecret(partnerId, key, masterKey))
    } catch (error) {
      onError(new Error(`the secret of ${key.keyId} cannot be opened`, { cause: error }))
      return undefined
    }
  }

  let polling = false
  let failing = false
  function poll(): void {
    if (polling) return
    polling = true
    refresh()
      .then(
        () => {
          failing = false
        },
        (error) => {
          // Once for each time the store goes away, not four times a second.
          if (!failing) onError(error)
          failing = true
        },
      )
      .finally(() => {
        polling = false
      })
  }

  await refresh()
  const timer = setInterval(poll, pollMs)
  timer.unref()

  return {
    find(apiKey, now) {
      const hash = hashBytes(apiKeyHash(apiKey))
      const { hash: found, secret, caller, expiresAt } = rowOf(hash)
      const same = timingSafeEqual(hash, found)
      const unexpired = now < expiresAt
      return { secret, caller: () => (same && unexpired ? caller : undefined) }
    },
    poll,
    close: () => clearInterval(timer),
  }
}

type DirectoryKey = { hash: Buffer; secret: HmacKey; caller: Caller | undefined; expiresAt: number }

/** In the table from the start: there is always a row to find. */
const nobody: DirectoryKey = {
  hash: randomBytes(32),
  secret: new HmacKey(randomBytes(32).toString('hex')),
  caller: undefined,
  expiresAt: Number.NEGATIVE_INFINITY,
}

function directoryKeys(
  { partnerId, requestsPerSecond, grants, keys }: KeyHolder,
  secretOf: (partnerId: string, key: SealedKey) => HmacKey | undefined,
): DirectoryKey[] {
  const tenants = new Set(grants.map(({ tenantId }) => tenantId))
  return keys
    .filter((key) => key.revokedAt === null)
    .flatMap((key) => {
      const secret = secretOf(partnerId, key)
      if (secret === undefined) return []
      const caller = { partnerId, keyId: key.keyId, tenants, requestsPerSecond }
      const expiresAt = key.expiresAt ?? Number.POSITIVE_INFINITY
      return [{ hash: hashBytes(key.apiKeyHash), secret, caller, expiresAt }]
    })
}

/** Always 32 bytes: a hash that was damaged in the database is one that no key has. */
function hashBytes(hex: string): Buffer {
  const bytes = Buffer.alloc(32)
  bytes.write(hex, 'hex')
  return bytes
}
