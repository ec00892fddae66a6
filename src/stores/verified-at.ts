/** Clocks of nodes differ by less. */
const aheadMaxMs = 3_600_000

/**
 * When `verify` found the ledger sound, as far as that can be known at `now`. A time that is far ahead is
 * that of a clock that was: by it, the ledger would count as just verified until then.
 */
export function knownVerifiedAt(at: number | null, now: number): number | null {
  return at === null || at > now + aheadMaxMs ? null : at
}

/** When `verify` found the ledger not sound. By whatever clock that was, it is known now. */
export function notLater(at: number | null, now: number): number | null {
  return at === null ? null : Math.min(at, now)
}
