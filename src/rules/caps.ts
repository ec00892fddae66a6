/** All caps are in credited EP. perPartnerDay is the partner's limit in one tenant; perUserDay counts all partners. */
export type Caps = { perTx: number; perPartnerDay: number; perUserDay: number }

/** The default caps, until an operator sets others. */
export const builtInCaps: Readonly<Caps> = Object.freeze({
  perTx: 10_000,
  perPartnerDay: 1_000_000,
  perUserDay: 20_000,
})

/** A cap that is not set at this level (null) falls back to the next wider one. */
export type CapSettings = {
  grant: { perTx: number | null; perPartnerDay: number | null }
  partner: { perTx: number | null; perPartnerDay: number | null }
  tenant: { perUserDay: number | null }
  defaults: Caps
}

export function capsInForce({ grant, partner, tenant, defaults }: CapSettings): Caps {
  return {
    perTx: grant.perTx ?? partner.perTx ?? defaults.perTx,
    perPartnerDay: grant.perPartnerDay ?? partner.perPartnerDay ?? defaults.perPartnerDay,
    perUserDay: tenant.perUserDay ?? defaults.perUserDay,
  }
}

/** Caps are inclusive. Written as a subtraction, so that no sum can exceed the safe integers. */
export function fitsUnder(cap: number, used: number, points: number): boolean {
  return points <= cap - used
}

/**
 * The highest cap that can be set. Below it, the raw amounts of one account and day and the counters of one user add up
 * to safe integers. Caps that an older version stored may be higher; they apply as they are.
 */
export const capMax = 1_000_000_000_000

/** Of a stored cap. */
export function isCap(value: number): boolean {
  return Number.isSafeInteger(value) && value >= 0
}
