import { grouped } from './numbers.ts'

/** That a new daily cap leaves nothing of today, because as much is credited already; null: something is left everywhere. */
export function fullAtOnce(
  cap: number,
  accounts: readonly { tenantId: string; points: number }[],
): string | null {
  const said = accounts
    .filter(({ points }) => cap <= points)
    .map(
      ({ tenantId, points }) =>
        `${grouped(cap)} is ${cap < points ? 'below' : 'not above'} today's ${grouped(points)} EP in ${tenantId}: further awards of today will be refused.`,
    )
  return said.length === 0 ? null : said.join(' ')
}
