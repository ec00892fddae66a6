import { randomBytes } from 'node:crypto'
import type { AuthHeaders } from '../../src/access/authenticate.ts'
import { apiKeyHash } from '../../src/access/credentials.ts'
import { HmacKey } from '../../src/shortcuts/hmac-key.ts'
import { signatureMatches } from '../../src/access/signature.ts'
import { type Attempts, type Kind, payload } from './attempts.ts'
import type { Authenticate } from './measure.ts'

type PlantedLeak = {
  name: string
  /** Which two kinds it tells apart. */
  tells: [Kind, Kind]
  open(attempts: Attempts): Authenticate
}

const nobodys = new HmacKey(randomBytes(32).toString('hex'))

/** Naive implementations with a timing leak. The measurement must detect each of them. */
export const plantedLeaks: PlantedLeak[] = [
  {
    name: 'an unknown key is refused without an HMAC',
    tells: ['known', 'unknown'],
    open(attempts) {
      const secrets = secretsOf(attempts)
      return (headers) => {
        const { apiKey, timestamp, signature } = only(headers)
        const secret = secrets.get(apiKeyHash(apiKey))
        return secret !== undefined && signatureMatches(secret, { timestamp, payload, signature })
      }
    },
  },
  {
    name: 'one spare secret for all unknown keys, and a Map',
    tells: ['known', 'unknown'],
    open(attempts) {
      const secrets = secretsOf(attempts)
      return (headers) => {
        const { apiKey, timestamp, signature } = only(headers)
        const secret = secrets.get(apiKeyHash(apiKey))
        const matches = signatureMatches(secret ?? nobodys, { timestamp, payload, signature })
        return secret !== undefined && matches
      }
    },
  },
  {
    name: 'the signature is compared digit by digit',
    tells: ['almost', 'known'],
    open(attempts) {
      const secrets = secretsOf(attempts)
      return (headers) => {
        const { apiKey, timestamp, signature } = only(headers)
        const secret = secrets.get(apiKeyHash(apiKey)) ?? nobodys
        const right = secret.hmac(Buffer.from(`${timestamp}.${payload}`)).toString('hex')
        for (let digit = 0; digit < right.length; digit++) {
          if (right[digit] !== signature[digit]) return false
        }
        return true
      }
    },
  },
]

function secretsOf({ live }: Attempts): Map<string, HmacKey> {
  return new Map(live.map(({ apiKey, signingSecret }) => [apiKeyHash(apiKey), new HmacKey(signingSecret)]))
}

function only({ apiKey, timestamp, signature }: AuthHeaders) {
  return { apiKey: apiKey![0]!, timestamp: timestamp![0]!, signature: signature![0]! }
}
