import type { Credited, Finding, Order } from './finding.ts'
import { withoutSigns } from './spelling.ts'
import { createSpill, partOf } from './spill.ts'

/**
 * However an orderId was changed on its way into the list, the award for it is in the history, and not in the list, or not
 * with its values. So a missing order is in doubt if its user has as many EP for such an award, whatever its orderId looks like.
 */
export function createSameValues(folder: string, parts: number) {
  const missing = createSpill<Finding>(folder, 'missing')
  const unlisted = createSpill<Credited>(folder, 'unlisted')
  return {
    addMissing(finding: Finding): void {
      missing.add(partOf(valuesOf(finding.order!), parts), finding)
    },
    addUnlisted(award: Credited): void {
      unlisted.add(partOf(valuesOf(award), parts), award)
    },
    /** The missing orders, once all were added; `doubt` says where an award may be theirs. */
    *settled(): Generator<Finding, void, undefined> {
      for (let part = 0; part < parts; part++) {
        const awards = new Map<string, Credited>()
        for (const award of unlisted.read(part)) {
          awards.set(valuesOf(award), award)
          awards.set(alikeOf(award), award)
        }
        for (const finding of missing.read(part)) {
          const award = awards.get(alikeOf(finding.order!)) ?? awards.get(valuesOf(finding.order!))
          yield award === undefined ? finding : { ...finding, doubt: finding.doubt ?? doubtOf(award) }
        }
      }
    },
  }
}

type Values = Pick<Order | Credited, 'orderId' | 'userEmail' | 'points'>

function valuesOf({ userEmail, points }: Values): string {
  return JSON.stringify([userEmail, points])
}

/** Of several awards with the same values, the one to name. */
function alikeOf({ orderId, userEmail, points }: Values): string {
  return JSON.stringify([userEmail, points, withoutSigns(orderId ?? '')])
}

function doubtOf({ orderId }: Credited): string {
  return `it may be ${orderId ?? 'an award without an orderId'}, which the list does not have with these values: the same user has as many EP for it`
}
