import { dayMs } from '../../rules/vietnam-day.ts'
import { type DemoPartnerId, demoPartners, perUserDay } from './partners.ts'

/** A change by an operator. */
export type PastChange = { at: number; kind: 'change'; by: string; reason: string } & (
  | { action: 'create'; partnerId: DemoPartnerId }
  | { action: 'perUserDay'; tenantId: string; perUserDay: number }
  | { action: 'perPartnerDay'; partnerId: DemoPartnerId; perPartnerDay: number }
  | { action: 'suspend' | 'resume'; partnerId: DemoPartnerId }
  | { action: 'rotate'; partnerId: DemoPartnerId; overlapMs: number }
)

/** How many days before today the past begins. */
export const pastDays = 6
const hourMs = 3_600_000
const minuteMs = 60_000

/** What operators did, with their reasons. `startOf` is the midnight at which a day began. */
export function operatorChanges(startOf: (daysAgo: number) => number): PastChange[] {
  const first = startOf(pastDays) + 7 * hourMs
  const reasons = { acme: 'contract 2026-17', globex: 'contract 2026-18', initech: 'contract 2026-21, pilot' }
  const created = demoPartners.map(
    ({ partnerId }, index): PastChange => ({
      at: first + index * 4 * minuteMs,
      kind: 'change',
      by: 'mai',
      reason: reasons[partnerId],
      action: 'create',
      partnerId,
    }),
  )
  return [
    ...created,
    {
      at: first + 15 * minuteMs,
      kind: 'change',
      by: 'mai',
      reason: 'one person must not collect a whole day',
      action: 'perUserDay',
      tenantId: 't1',
      perUserDay,
    },
    {
      at: startOf(4) + 11 * hourMs,
      kind: 'change',
      by: 'linh',
      reason: 'INC-31: their batch sent the orders of last month',
      action: 'suspend',
      partnerId: 'globex',
    },
    {
      at: startOf(4) + 13 * hourMs,
      kind: 'change',
      by: 'linh',
      reason: 'INC-31: Globex stopped the batch',
      action: 'resume',
      partnerId: 'globex',
    },
    {
      at: startOf(3) + 9.8 * hourMs,
      kind: 'change',
      by: 'mai',
      reason: 'asked for by Initech, new payment system',
      action: 'rotate',
      partnerId: 'initech',
      overlapMs: 14 * dayMs,
    },
    {
      at: startOf(1) + 20.1 * hourMs,
      kind: 'change',
      by: 'mai',
      reason: 'OPS-212: book fair until Sunday, approved by Finance',
      action: 'perPartnerDay',
      partnerId: 'acme',
      perPartnerDay: 3_000,
    },
  ]
}
