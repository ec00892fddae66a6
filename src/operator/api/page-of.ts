import type { Listed } from '../../answers/ledger-queries.ts'

/** A page of a list, ordered by id: damaged rows take their places in it. `next` is the id to go on after; null: the end. */
export function pageOf<Row extends Known, Known>(
  { sound, damaged }: Listed<Row, Known>,
  idOf: (row: Known) => string,
  { after, limit }: { after: string; limit: number },
): Listed<Row, Known> & { next: string | null } {
  const ids = [...sound, ...damaged]
    .map(idOf)
    .filter((id) => id > after)
    .sort((a, b) => (a < b ? -1 : 1))
  const last = ids.slice(0, limit).at(-1) ?? ''
  const onPage = <R extends Known>(rows: R[]) =>
    rows.filter((row) => idOf(row) > after && idOf(row) <= last).sort((a, b) => (idOf(a) < idOf(b) ? -1 : 1))
  return { sound: onPage(sound), damaged: onPage(damaged), next: ids.length > limit ? last : null }
}
