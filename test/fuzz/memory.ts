const mebibyte = 1_048_576

/** The smallest number of samples with a meaningful trend. */
const samplesMin = 12
/** How much more memory the last quarter may hold than the second: the first is warm-up. */
const growthMax = 1.5

/** Does memory grow without bound? One sample for each round, all rounds alike. */
export function growth(samples: number[]): { warm: string; end: string; ratio: number; unbounded: boolean } {
  const quarter = Math.max(1, Math.floor(samples.length / 4))
  const warm = mean(samples.slice(quarter, 2 * quarter))
  const end = mean(samples.slice(-quarter))
  const ratio = Math.round((end / warm) * 100) / 100
  return {
    warm: inMebibytes(warm),
    end: inMebibytes(end),
    ratio,
    unbounded: samples.length >= samplesMin && ratio > growthMax,
  }
}

function mean(values: number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function inMebibytes(bytes: number): string {
  return `${Math.round(bytes / mebibyte)} MiB`
}
