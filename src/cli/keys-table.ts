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
