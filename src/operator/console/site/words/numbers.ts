/** 1,092,324. Unknown is an en dash. */
export function grouped(value: number | null | undefined): string {
  return value === null || value === undefined ? '–' : value.toLocaleString('en-US')
}

/** For axes only: 4.0 M, 250 k. */
export function abbreviated(value: number): string {
  if (value >= 1_000_000) return `${(value / 1_000_000).toFixed(1)} M`
  if (value >= 10_000) return `${Math.round(value / 1_000).toLocaleString('en-US')} k`
  return grouped(value)
}

/** The use of a cap, rounded down: 100.0% means full. */
export function usePercent(used: number, limit: number): string {
  // In whole numbers: 0.29 * 1000 is less than 290.
  return `${(limit === 0 ? 100 : Math.floor((used * 1_000) / limit) / 10).toFixed(1)}%`
}

/** `1 award`, `2 awards`, `2 entries`. */
export function counted(value: number, one: string, many = `${one}s`): string {
  return `${grouped(value)} ${value === 1 ? one : many}`
}

/** The first part of an ID or hash, for lists: `37e7702e-5ce4…`. What is short is whole. */
export function shortened(id: string, length = 13): string {
  return id.length <= length + 3 ? id : `${id.slice(0, length)}…`
}
