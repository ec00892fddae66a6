import type { Random } from '../support/seeded-random.ts'

/** A partner that can sign, in one of the situations that the rules know. */
export type Signer = { partnerId: string; apiKey: string; signingSecret: string }

/**
 * `acme` may do almost everything, `tight` has used up its day, `hushed` is suspended, `rated` has a request rate,
 * `gone` has a revoked key.
 */
export type Signers = Record<'acme' | 'tight' | 'hushed' | 'rated' | 'gone', Signer>

/** A signed award: whoever gets 202 for it must find exactly this in the ledger. */
export type SignedAward = { partnerId: string; body: Buffer }

/** The bytes of one request, and what is known of it in advance. */
export type FuzzRequest = {
  /** With the seed it brings this very request back. */
  index: number
  what: string
  bytes: Buffer
  /** One request by the grammar of HTTP: it has one answer. Otherwise nobody knows, and it ends its connection. */
  whole: boolean
  /** Its answer may well say `connection: close`: what is sent behind it is not answered. */
  mayClose: boolean
  /** Its answer has no body. */
  isHead: boolean
  /** Null where no award was signed. In a request that is not whole it may have been damaged since. */
  award: SignedAward | null
  /** False: 200 or 202 would be a breach. */
  mayBeOk: boolean
  /** Its signature is right, and it must not be called wrong. */
  authentic: boolean
  /** A fresh award that keeps every rule: it must be credited. */
  sound: boolean
}

/** What the requests of one target draw on, beside their randomness. */
export type Material = {
  signers: Signers
  /** The target's clock: what is signed now is fresh. */
  now(): number
  /** Sends nothing that could be credited: a dump before equals a dump after. */
  refusedOnly: boolean
  /** Real cursors and credited awards of late, so that the requests can come near them. */
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
