/** Rows for each partner, hour, code and process. Beyond that, refusals are only counted. */
const refusalsPerHourMax = 500
const hourMs = 3_600_000

/** Whoever is refused all the time must not fill the disk, nor hide its other refusals. */
export class RefusalQuota {
  #hour = 0
  #used = new Map<string, Map<string, number>>()

  admits(partnerId: string, code: string, now: number): boolean {
    const hour = Math.floor(now / hourMs)
    if (hour !== this.#hour) {
      this.#hour = hour
      this.#used = new Map()
    }
    const codes = this.#used.get(partnerId) ?? new Map<string, number>()
    this.#used.set(partnerId, codes)
    const used = codes.get(code) ?? 0
    if (used >= refusalsPerHourMax) return false
    codes.set(code, used + 1)
    return true
  }
}
