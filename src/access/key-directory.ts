import { randomBytes, timingSafeEqual } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { apiKeyHashBytes, openSecret, type SealedKey } from './credentials.ts'
import { type Clock, systemClock } from '../clock.ts'
import { Unavailable } from '../ledger/errors.ts'
import { isSandbox, type TenantMode } from '../rules/tenant-mode.ts'
import { HmacKey } from '../shortcuts/hmac-key.ts'
import { createKeyTable } from './key-table.ts'
import { repeatRead } from './repeated-read.ts'

/** Who signed a request, and what the HTTP code needs to know about the partner. */
export type Caller = {
  partnerId: string
  keyId: string
  tenants: ReadonlySet<string>
  /** Those of the tenants whose awards do not count. */
  sandboxTenants: ReadonlySet<string>
  requestsPerSecond: number | null
}

/**
 * `find` returns a secret for every API key: its own or, for an unknown key, that of a neighbor in the table. So the work is
 * the same whether a key exists or not. `caller` counts only after the signature has matched; otherwise it is for the log.
 * It is undefined for an unknown, revoked or expired key.
 */
export type KeyDirectory = {
  /**
   * Undefined while the keys are those of the last second. Otherwise no request may be checked before this promise: a key
   * may have been revoked while this process was stopped, or could not reach the store. Rejects with `Unavailable`.
   */
  catchUp(): Promise<void> | undefined
  find(apiKey: string, now: number): { secret: HmacKey; caller(): Caller | undefined }
}

/** Where the directory reads from. Every change by an operator raises the version, in the same transaction. */
export type DirectorySource = {
  /** `follows`: the known version is part of this database's history, so all changes since have a higher number. */
  settingsVersion(known: SettingsVersion | null): Promise<SettingsVersion & { follows: boolean }>
  /** The next partners after this position, in the order of their last change. */
  changedPartners(after: ChangePosition, limit: number): Promise<(KeyHolder & ChangePosition)[]>
}

/**
 * A version of the settings and the last row of the audit trail at that time. The row's hash covers every row before it:
 * two databases with the same version and hash have the same history of changes.
 */
type SettingsVersion = { number: number; auditSeq: number; auditHash: string }

/** The version to which a partner's last change raised the settings, and the partner. */
type ChangePosition = { changedIn: bigint; partnerId: string }

/** Below every position, also below those that no version ever had. */
export const beforeAllChanges: ChangePosition = { changedIn: -(2n ** 63n), partnerId: '' }

/** The part of a partner that its keys need. Its numbers may have been damaged in the database. */
export type KeyHolder = {
  partnerId: string
  requestsPerSecond: number | null
  grants: { tenantId: string; mode: TenantMode }[]
  keys: (SealedKey & { expiresAt: number | null; revokedAt: number | null })[]
}

/** About three seconds: a database that restarts is back, or is not ready for other reasons. */
const failuresMax = 12
/** Partners whose secrets are decrypted in one turn of the event loop: a few milliseconds. */
const partnersPerTurn = 250

/**
 * The directory in memory. It polls the settings version four times a second. When the version has changed, it reads the
 * partners that changed since, so that a new, revoked or expired key takes effect within a second on every node. While the
 * store is unreachable, no request is checked. If it answers but its settings are damaged, the last known state stays.
 *
 * All partners are read at the start, and when the version does not follow ours. Then it is another database, restored
 * from a backup or promoted, which may lack a change that we know.
 */
export async function openKeyDirectory(
  source: DirectorySource,
  masterKey: Uint8Array,
  onError: (error: unknown) => void,
  clock: Clock = systemClock,
): Promise<
  KeyDirectory & {
    poll(): void
    close(): void
    hasTenant(tenantId: string): boolean
    /** Warnings for the operator. Throws `Unavailable` while no request can be checked. */
    ready(): string[]
  }
> {
  let version: SettingsVersion | null = null
  let keysOf = new Map<string, DirectoryKey[]>()
  let table = createKeyTable([nobody])
  /** Tenants are never deleted. */
  const tenants = new Set<string>()

  async function refresh(): Promise<void> {
    const { follows, ...current } = await source.settingsVersion(version)
    if (version?.number === current.number && version.auditHash === current.auditHash) return
    // A change while the pages are read has a version above `current`, and is read again the next time.
    if (version === null || !follows || current.number <= version.number) {
      keysOf = await readKeys(beforeAllChanges)
      table = createKeyTable([nobody, ...[...keysOf.values()].flat()])
    } else {
      const changed = await readKeys({ changedIn: BigInt(version.number + 1), partnerId: '' })
      const removed = new Set([...changed.keys()].flatMap((partnerId) => keysOf.get(partnerId) ?? []))
      table = table.replaced(removed, [...changed.values()].flat())
      for (const [partnerId, keys] of changed) keysOf.set(partnerId, keys)
    }
    version = current
  }

  /** The live keys of all partners after this position, page by page. Meanwhile the old table is used. */
  async function readKeys(after: ChangePosition): Promise<Map<string, DirectoryKey[]>> {
    const read = new Map<string, DirectoryKey[]>()
    for (let last: ChangePosition | undefined = after; last !== undefined; ) {
      const page = await source.changedPartners(last, partnersPerTurn)
      for (const partner of page) {
        read.set(partner.partnerId, directoryKeys(partner, secretOf, tellDamage))
        for (const { tenantId } of partner.grants) tenants.add(tenantId)
      }
      last = page.length === partnersPerTurn ? page.at(-1) : undefined
      if (last !== undefined) await nextTurn()
    }
    return read
  }

  /** A secret that was decrypted before, for the same partner and from the same bytes, is not decrypted again. */
  function secretOf(partnerId: string, key: SealedKey): HmacKey | undefined {
    const known = keysOf
      .get(partnerId)
      ?.find(({ keyId, sealed }) => keyId === key.keyId && sealed.equals(key.sealedSecret))
    return known?.secret ?? open(partnerId, key)
  }

  function open(partnerId: string, key: SealedKey): HmacKey | undefined {
    try {
      return new HmacKey(openSecret(partnerId, key, masterKey))
    } catch (error) {
      tellDamage(`the secret of ${key.keyId} cannot be opened`, error)
      return undefined
    }
  }

  /** Once, not whenever the partner is read again. */
  const damageTold = new Set<string>()
  function tellDamage(what: string, cause?: unknown): void {
    if (!damageTold.has(what)) onError(new Error(what, { cause }))
    damageTold.add(what)
  }

  const reads = await repeatRead(refresh, { clock, onError })

  return {
    find(apiKey, now) {
      const hash = apiKeyHashBytes(apiKey)
      const { hash: found, secret, callers, expiresAt } = table.rowOf(hash)
      const same = timingSafeEqual(hash, found)
      const unexpired = now < expiresAt
      // Not a condition: the processor would guess its outcome, and be wrong more often for one kind of key than for another.
      return { secret, caller: () => callers[Number(same) & Number(unexpired)] }
    },
    hasTenant: (tenantId) => tenants.has(tenantId),
    catchUp: reads.catchUp,
    poll: reads.begin,
    close: reads.close,
    ready() {
      const failed = reads.failed()
      if (failed.reads < failuresMax) return []
      if (!failed.isDamage) throw new Unavailable(`the API keys cannot be read (${failed.reason})`)
      return [`the keys cannot be read, and a revoked key is not noticed (${failed.reason})`]
    },
  }
}

type DirectoryKey = {
  hash: Buffer
  secret: HmacKey
  /** By whether it is this key, and not expired. */
  callers: readonly [undefined, Caller | undefined]
  expiresAt: number
  keyId: string
  sealed: Buffer
}

/** Always in the table, so that a lookup always finds a row. */
const nobody: DirectoryKey = {
  hash: randomBytes(32),
  secret: new HmacKey(randomBytes(32).toString('hex')),
  callers: [undefined, undefined],
  expiresAt: Number.NEGATIVE_INFINITY,
  keyId: '',
  sealed: Buffer.alloc(0),
}

/** A key whose values were damaged in the database is left out, and so is a partner. The others still work. */
function directoryKeys(
  { partnerId, requestsPerSecond, grants, keys }: KeyHolder,
  secretOf: (partnerId: string, key: SealedKey) => HmacKey | undefined,
  tellDamage: (what: string) => void,
): DirectoryKey[] {
  if (requestsPerSecond !== null && !Number.isSafeInteger(requestsPerSecond)) {
    tellDamage(`the request rate of ${partnerId} is not a number of ours: run verify`)
    return []
  }
  const tenants = new Set(grants.map(({ tenantId }) => tenantId))
  const sandboxTenants = new Set(grants.filter(isSandbox).map(({ tenantId }) => tenantId))
  return keys
    .filter((key) => key.revokedAt === null)
    .flatMap((key) => {
      const secret = secretOf(partnerId, key)
      if (secret === undefined) return []
      const { keyId } = key
      if (key.expiresAt !== null && !isTime(key.expiresAt)) {
        tellDamage(`the expiry of ${keyId} is not a time: run verify`)
        return []
      }
      const caller = { partnerId, keyId, tenants, sandboxTenants, requestsPerSecond }
      const expiresAt = key.expiresAt ?? Number.POSITIVE_INFINITY
      const sealed = Buffer.from(key.sealedSecret)
      const callers = [undefined, caller] as const
      return [{ hash: hashBytes(key.apiKeyHash), secret, callers, expiresAt, keyId, sealed }]
    })
}

function isTime(milliseconds: number): boolean {
  return !Number.isNaN(new Date(milliseconds).getTime())
}

/** Always 32 bytes. A hash that was damaged in the database matches no key. */
function hashBytes(hex: string): Buffer {
  const bytes = Buffer.alloc(32)
  bytes.write(hex, 'hex')
  return bytes
}
