import type { Credited, Order } from './finding.ts'
import { hasLostDigits, likeness, shortenedForms, shortenedNumber } from './spelling.ts'

/** Why an order that was not credited as it is spelled may have been credited all the same. */
type Similar = {
  /** To an orderId that is spelled similarly; none where only another row of the list is. */
  awards: Credited[]
  detail(award: Credited | null): string
}

type Spellings = {
  /** Null: no award and no earlier row has a similar orderId. To be asked for the rows in their order. */
  similarTo(order: Order): Similar | null
}

/** `scientific`: awards to a number as a spreadsheet had shortened it, by that short form. */
export function createSpellings(
  awards: Iterable<Credited>,
  shortened: Credited[],
  scientific: ReadonlyMap<string, Credited>,
): Spellings {
  const alike = new Map<string, Credited[]>()
  for (const award of awards) add(alike, likeness(award.orderId!), award)
  const byShortForm = new Map<string, Credited[]>()
  for (const award of shortened) {
    for (const form of shortenedForms(award.orderId!)) add(byShortForm, form, award)
  }
  const listed = new Map<string, Order>()

  return {
    similarTo(order) {
      const orderId = order.orderId!
      const key = likeness(orderId)
      const earlier = listed.get(key)
      if (earlier === undefined) listed.set(key, order)

      const sameOrder = alike.get(key)
      if (sameOrder !== undefined) return { awards: sameOrder, detail: (award) => creditedAs(award!) }
      const shortForm = shortenedNumber(orderId) ?? ''
      const mayBe = byShortForm.get(shortForm)
      if (mayBe !== undefined) return { awards: mayBe, detail: (award) => amongMany(award!, mayBe.length) }
      const forms = scientific.size === 0 ? [] : [shortForm, ...shortenedForms(orderId)]
      const sentAs = forms.map((form) => scientific.get(form)).find((award) => award !== undefined)
      if (sentAs !== undefined) return { awards: [sentAs], detail: () => sentShortened(sentAs) }
      if (hasLostDigits(orderId)) return { awards: [], detail: () => digitsLost }
      if (earlier !== undefined)
        return { awards: [], detail: () => `line ${earlier.line} lists it as ${earlier.orderId}` }
      return null
    },
  }
}

function add(groups: Map<string, Credited[]>, key: string, award: Credited): void {
  const group = groups.get(key)
  if (group === undefined) groups.set(key, [award])
  else group.push(award)
}

const digitsLost = 'a spreadsheet shortened this number, its last digits are lost: export the column as text'

function creditedAs({ orderId, points, userEmail, awardedAt }: Credited): string {
  return `credited as ${orderId}: ${points} EP to ${userEmail} at ${awardedAt}`
}

function sentShortened(award: Credited): string {
  return `it may have been sent as a spreadsheet shortened it: ${creditedAs(award)}`
}

function amongMany(award: Credited, count: number): string {
  const which =
    count === 1 ? creditedAs(award) : `it may be any of ${count} credited orders, such as ${award.orderId}`
  return `a spreadsheet shortened this number: ${which}`
}
