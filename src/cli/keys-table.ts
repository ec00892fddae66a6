import type { LastUse } from '../answers/key-uses.ts'
import type { ShownKey } from '../answers/shown-settings.ts'
import { table, timeOr } from './output.ts'

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
