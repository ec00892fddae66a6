import type { LastUse } from '../answers/key-uses.ts'
import { isoTime } from '../rules/iso-time.ts'
import type { Key } from '../partners/partner-store.ts'
import { table, timeOr } from './output.ts'

type ShownKey = Pick<Key, 'keyId' | 'createdAt' | 'expiresAt' | 'revokedAt'>

/** A key without its internal fields. */
export function shownKey({ keyId, createdAt, expiresAt, revokedAt }: ShownKey) {
  return {
    keyId,
    createdAt: isoTime(createdAt),
    expiresAt: expiresAt === null ? null : isoTime(expiresAt),
    revokedAt: revokedAt === null ? null : isoTime(revokedAt),
  }
}

export function keysTable(keys: ShownKey[]): string {
  return table(
    ['key', 'created', 'expires', 'revoked'],
    keys.map(({ keyId, createdAt, expiresAt, revokedAt }) => [
      keyId,
      timeOr(createdAt),
      timeOr(expiresAt, 'never'),
      timeOr(revokedAt),
    ]),
  )
}

/** From the journal. */
export function keyUsesTable(keys: ShownKey[], lastUse: (keyId: string) => LastUse): string {
  return table(
    ['key', 'last used', 'its clock'],
    keys.map(({ keyId }) => {
      const { lastUsedAt, clockDifferenceMs } = lastUse(keyId)
      return [keyId, lastUsedAt ?? '-', clockDifferenceMs === null ? '-' : clockText(clockDifferenceMs)]
    }),
  )
}

/** Less says nothing about a clock: requests take a while, and some partners send whole seconds. */
const exactMs = 2_000

function clockText(differenceMs: number): string {
  if (Math.abs(differenceMs) < exactMs) return 'right'
  const seconds = Math.round(Math.abs(differenceMs) / 1000)
  return `${seconds} s ${differenceMs > 0 ? 'fast' : 'slow'}`
}
