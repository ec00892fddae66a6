import { isolated } from './isolated.ts'
import { copiedTime } from './times.ts'

type Award = {
  orderId: string
  tenantId: string
  sandbox: boolean
  epTransactionId: string
  awardedAt: string
  arithmetic: { rawAmount: number; amountPerEp: number; points: number; remainder: number }
}

/** What the support desk may send to the partner about an award: what it sent, and what it was told. No totals, no user. */
export function awardForPartner(award: Award): string {
  const { orderId, tenantId, sandbox, epTransactionId, awardedAt } = award
  const { rawAmount, amountPerEp, points, remainder } = award.arithmetic
  const next =
    remainder === 0 ? '' : ` ${points + 1} EP need an amount of ${(points + 1) * amountPerEp} or more.`
  return [
    `Order ${isolated(orderId)} in tenant ${tenantId} was credited on ${copiedTime(Date.parse(awardedAt))}.`,
    `Transaction: ${epTransactionId}`,
    '',
    `You sent amount ${rawAmount}. ${amountPerEp} units are 1 EP, rounded down for each award: ${rawAmount} / ${amountPerEp} = ${points}, remainder ${remainder}. The award is ${points} EP.${next}`,
    ...(sandbox ? ['', 'The tenant is a sandbox: these EP do not count.'] : []),
  ].join('\n')
}
