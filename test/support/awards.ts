import type { AwardCommand, Entry } from '../../src/rules/entry.ts'
import type { KnownAward } from '../../src/rules/replay.ts'

/** An award that every rule accepts: 5 EP to Lan in the tenant t1, for order A1 of the partner acme. */
export function anAward(overrides: Partial<AwardCommand> = {}): AwardCommand {
  return {
    partnerId: 'acme',
    tenantId: 't1',
    orderId: 'A1',
    userEmail: 'lan@example.vn',
    amount: 5000,
    note: null,
    meta: null,
    epTransactionId: '019a0000-0000-7000-8000-000000000001',
    salt: new Uint8Array(16),
    ...overrides,
  }
}

/** What the ledger knows of an award that was credited at `awardedAt`. */
export function knownAs(award: AwardCommand, awardedAt = 1_700_000_000_000): KnownAward {
  const { epTransactionId, tenantId, userEmail, amount, note, meta } = award
  const points = Math.floor(amount / 1000)
  return { epTransactionId, tenantId, userEmail, rawAmount: amount, points, note, meta, awardedAt }
}

/** An entry whose fields all have different values, so that no two can be confused. */
export function anEntry(overrides: Partial<Entry> = {}): Entry {
  return {
    partnerId: 'acme',
    tenantId: 't1',
    seq: 7,
    epTransactionId: '019a0000-0000-7000-8000-000000000001',
    orderId: 'A1',
    userEmail: 'lan@example.vn',
    note: 'for your order',
    meta: '{"shop": 1.10}',
    salt: Uint8Array.from({ length: 16 }, (_, index) => index),
    commitment: null,
    rawAmount: 5999,
    amountPerEp: 1000,
    points: 5,
    awardedAt: 1_700_000_000_000,
    caps: { perTx: 10_000, perPartnerDay: 1_000_000, perUserDay: 20_000 },
    partnerDayTotal: 105,
    userDayTotal: 25,
    hash: new Uint8Array(32),
    ...overrides,
  }
}

/** The body of an award as a partner sends it, all of it valid. A field set to undefined is left out. */
export function anAwardBody(overrides: Record<string, unknown> = {}): string {
  const { tenantId, orderId, userEmail, amount } = anAward()
  return JSON.stringify({ tenantId, orderId, userEmail, amount, ...overrides })
}
