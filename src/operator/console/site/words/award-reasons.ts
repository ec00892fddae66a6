import { grouped } from './numbers.ts'

type Arithmetic = { rawAmount: number; amountPerEp: number; points: number; remainder: number }

/** Why so many EP and not one more: the sum line by line, and the sentence below it. */
export function awardSum({ rawAmount, amountPerEp, points, remainder }: Arithmetic) {
  const next = grouped((points + 1) * amountPerEp)
  return {
    title:
      remainder === 0
        ? `Why ${grouped(points)} EP`
        : `Why ${grouped(points)} EP and not ${grouped(points + 1)}`,
    lines: [
      { name: 'Amount sent', value: grouped(rawAmount) },
      { name: 'Rate, raw units per EP', value: `÷ ${grouped(amountPerEp)}` },
      { name: 'Exact quotient', value: `${grouped(points)}.${fraction(remainder, amountPerEp)}` },
      { name: 'Credited, rounded down', value: `${grouped(points)} EP` },
      { name: 'Remainder, not carried over', value: grouped(remainder) },
    ],
    sentence: `${grouped(points + 1)} EP need an amount of ${next} or more. Every award is rounded down by itself.`,
  }
}

/** Three digits are exact at the rate of 1000. */
function fraction(remainder: number, amountPerEp: number): string {
  return String(Math.floor((remainder * 1_000) / amountPerEp)).padStart(3, '0')
}
/** Where a cap came from. Null: the audit trail does not say. */
export function originText(from: string | null | undefined, tenantId: string): string {
  switch (from) {
    case 'partner in tenant':
      return `Set for the partner in ${tenantId}`
    case 'partner':
      return 'Set for the partner'
    case 'tenant':
      return `Set for the tenant ${tenantId}`
    case 'default':
      return 'Service default'
    default:
      return 'Not recorded'
  }
}
