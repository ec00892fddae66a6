import type { Credited, Finding, Order } from './finding.ts'
import { findNamesakes } from './namesakes.ts'
import { withoutSigns } from './spelling.ts'
import { createSpill, partOf } from './spill.ts'

/**
 * However an orderId was changed on its way into the list, the award for it is in the history, and not in the list, or not
 * with its values. So a missing order is in doubt if its user has as many EP for such an award, whatever its orderId looks like.
 * It is in doubt, too, if the list has it under a second orderId.
 */
export function createSameValues(folder: string, parts: number) {
  const missing = createSpill<Finding>(folder, 'missing')
  const unlisted = createSpill<Credited>(folder, 'unlisted')
  const listed = createSpill<Order>(folder, 'listed')

  return {
    addMissing(finding: Finding): void {
      missing.add(partOf(valuesOf(finding.order!), parts), finding)
    },
    addUnlisted(award: Credited): void {
      unlisted.add(partOf(valuesOf(award), parts), award)
    },
    /** Every row of the list, the missing ones, too. */
    addListed(order: Order): void {
      const isCompared = order.problem === null && order.userEmail !== null
      if (isCompared) listed.add(partOf(valuesOf(order), parts), order)
    },
    /** The missing orders, once all were added; `doubt` says where an award or another row may be theirs. */
    *settled(): Generator<Finding, void, undefined> {
      for (let part = 0; part < parts; part++) {
        const awards = new Map<string, Credited>()
        for (const award of unlisted.read(part)) {
          awards.set(valuesOf(award), award)
          awards.set(alikeOf(award), award)
        }
        const findings = missing.read(part)
        const groups = new Map(findings.map(({ order }) => [valuesOf(order!), [] as Order[]]))
        for (const order of listed.read(part)) groups.get(valuesOf(order))?.push(order)
        const namesakes = new Map([...groups.values()].flatMap((orders) => [...findNamesakes(orders)]))
        for (const finding of findings) {
          const award = awards.get(alikeOf(finding.order!)) ?? awards.get(valuesOf(finding.order!))
          const namesake = namesakes.get(finding.orderId!)
          const doubt = finding.doubt ?? (namesake && listedAs(namesake)) ?? (award && creditedAs(award))
          yield { ...finding, doubt: doubt ?? null }
        }
      }
    },
  }
}

type Values = Pick<Order | Credited, 'orderId' | 'userEmail' | 'points'>

function valuesOf({ userEmail, points }: Values): string {
  return JSON.stringify([mailboxOf(userEmail!), points])
}

/** To the service ann+shop@example.com is another user than ann@example.com, but both are one person. */
function mailboxOf(userEmail: string): string {
  return userEmail
    .normalize('NFKC')
    .replace(/\s|\+[^@]*(?=@)/g, '')
    .toLowerCase()
}

/** Of several awards with the same values, the one to name. */
function alikeOf(values: Values): string {
  return JSON.stringify([valuesOf(values), withoutSigns(values.orderId ?? '')])
}

function listedAs({ orderId, line }: Order): string {
  return `it may be ${orderId}, which line ${line} lists with the same values`
}

function creditedAs({ orderId }: Credited): string {
  return `it may be ${orderId ?? 'an award without an orderId'}, which the list does not have with these values: the same user has as many EP for it`
}
