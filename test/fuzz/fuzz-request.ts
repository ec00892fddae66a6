import type { Random } from '../support/seeded-random.ts'

/** A partner that can sign, in one of the situations that the rules know. */
export type Signer = { partnerId: string; apiKey: string; signingSecret: string }

/**
 * `acme` may do almost everything, `tight` has used up its day, `hushed` is suspended, `rated` has a request rate,
 * `gone` has a revoked key.
 */
export type Signers = Record<'acme' | 'tight' | 'hushed' | 'rated' | 'gone', Signer>

/** A signed award: after a 202, exactly this must be in the ledger. */
export type SignedAward = { partnerId: string; body: Buffer }

/** The bytes of one request, and what is known about it in advance. */
export type FuzzRequest = {
  /** With the seed, it reproduces this request. */
  index: number
  what: string
  bytes: Buffer
  /** One request by the grammar of HTTP: it gets one response. Otherwise that is unknown, and it ends its connection. */
  whole: boolean
  /** Its response may say `connection: close`: what is sent behind it gets no response. */
  mayClose: boolean
  /** Its response has no body. */
  isHead: boolean
  /** Null if no award was signed. In an incomplete request it may have been damaged since. */
  award: SignedAward | null
  /** False: 200 or 202 would be a violation. */
  mayBeOk: boolean
  /** Its signature is right and must not be refused. */
  authentic: boolean
  /** A fresh award that follows every rule: it must be credited. */
  sound: boolean
}

/** What the requests to one target depend on, besides their randomness. */
export type Material = {
  signers: Signers
  /** The target's clock: what is signed now is fresh. */
  now(): number
  /** Sends nothing that could be credited: a dump before equals a dump after. */
  refusedOnly: boolean
  /** Real cursors and recently credited awards, so that requests can be similar to them. */
  cursors: string[]
  credited: SignedAward[]
}

const rememberedMax = 64

export function remember<T>(memory: T[], value: T): void {
  memory.push(value)
  if (memory.length > rememberedMax) memory.shift()
}

export function chance(random: Random, probability: number): boolean {
  return random() < probability
}
