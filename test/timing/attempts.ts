import { randomBytes } from 'node:crypto'
import type { AuthHeaders } from '../../src/access/authenticate.ts'
import { type Credentials, createCredentials } from '../../src/access/credentials.ts'
import { type KeyDirectory, type KeyHolder, openKeyDirectory } from '../../src/access/key-directory.ts'
import { sign } from '../../src/access/signature.ts'
import { oneOf, type Random } from '../support/seeded-random.ts'
import { aNoon as now } from '../support/test-clock.ts'

/**
 * What an attacker may try; `almost` is a known key whose signature is wrong in its last digit only. `control` is like
 * `unknown`, with other keys: what tells these two apart is no leak but the measurement.
 */
export const kinds = ['unknown', 'control', 'known', 'almost', 'revoked', 'expired'] as const
export type Kind = (typeof kinds)[number]

export const payload = Buffer.from(
  '{"tenantId":"t1","orderId":"A1","userEmail":"lan@example.vn","amount":5000}',
)

export type Attempts = {
  keys: KeyDirectory
  /** Every key that is in the directory and live. */
  live: Credentials[]
  /** New attempts, the same number of each kind. */
  draw(): Record<Kind, AuthHeaders[]>
}

const drawn = 16

/**
 * A real directory of many keys. The attempts differ in nothing but their kind: their text is made in one way, at one
 * time, and none is used more often than another, since what was used a moment ago is fast.
 */
export async function prepareAttempts(
  random: Random,
  keysOfAKind = 1024,
  /** How old the timestamps are. */
  ageMs = 0,
): Promise<Attempts> {
  const masterKey = randomBytes(32)
  const credentialsOf = ofEachKind((): Credentials[] => [])
  const partners: KeyHolder[] = []
  for (let index = 0; index < keysOfAKind; index++) {
    for (const kind of kinds) {
      const partnerId = `partner-${index}-${kind}`
      const { credentials, sealed } = createCredentials(partnerId, masterKey)
      credentialsOf[kind].push(credentials)
      if (kind === 'unknown' || kind === 'control') continue
      const expiresAt = kind === 'expired' ? now : now + 1
      const key = { ...sealed, expiresAt, revokedAt: kind === 'revoked' ? now : null }
      partners.push({
        partnerId,
        requestsPerSecond: null,
        grants: [{ tenantId: 't1', mode: 'live' as const }],
        keys: [key],
      })
    }
  }
  const source = {
    settingsVersion: async () => ({ number: 1, auditSeq: 1, auditHash: '', follows: true }),
    changedPartners: async (after: { partnerId: string }, limit: number) => {
      const from = partners.findIndex(({ partnerId }) => partnerId === after.partnerId) + 1
      return partners.slice(from, from + limit).map((partner) => ({ ...partner, changedIn: 1n }))
    },
  }
  const keys = await openKeyDirectory(source, masterKey, (error) => {
    throw error
  })
  keys.close()
  return {
    keys,
    live: [...credentialsOf.known, ...credentialsOf.almost],
    draw() {
      const attempts = ofEachKind((): AuthHeaders[] => [])
      for (let index = 0; index < drawn; index++) {
        for (const kind of kinds)
          attempts[kind].push(attempt(kind, oneOf(random, credentialsOf[kind]), now - ageMs))
      }
      return attempts
    },
  }
}

export function ofEachKind<T>(make: () => T): Record<Kind, T> {
  return { unknown: make(), control: make(), known: make(), almost: make(), revoked: make(), expired: make() }
}

function attempt(kind: Kind, { apiKey, signingSecret }: Credentials, at: number): AuthHeaders {
  const timestamp = String(at)
  const right = sign(signingSecret, timestamp, payload)
  const almost = right.slice(0, -1) + (right.endsWith('0') ? '1' : '0')
  const wrong = (right.startsWith('0') ? '1' : '0') + randomBytes(32).toString('hex').slice(1)
  return {
    apiKey: [asFromTheSocket(apiKey)],
    timestamp: [asFromTheSocket(timestamp)],
    signature: [asFromTheSocket(kind === 'almost' ? almost : wrong)],
  }
}

/** As a flat string: a concatenated one would be flattened when it is first read. */
function asFromTheSocket(text: string): string {
  return Buffer.from(text, 'latin1').toString('latin1')
}
