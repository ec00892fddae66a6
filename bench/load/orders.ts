import type { PartnerKey } from '../../test/chaos/stage.ts'
import { integerBelow, randomFrom } from '../../test/support/seeded-random.ts'

/** An award as a partner sends it: a short note, a little meta, each user a few times a day. */
type BenchOrder = {
  partner: PartnerKey
  tenantId: string
  orderId: string
  userEmail: string
  amount: number
  note: string
  meta: { shop: string; items: { sku: string; qty: number }[] }
}

const users = 20_000

/** Order after order, the next partner each time and the next tenant when all had their turn. To be called in turn. */
export function createOrders(
  name: string,
  partners: PartnerKey[],
  seed: number,
): (index: number) => BenchOrder {
  const random = randomFrom(seed)
  return (index) => {
    const partner = partners[index % partners.length]!
    const { tenants } = partner
    return {
      partner,
      tenantId: tenants[Math.floor(index / partners.length) % tenants.length]!,
      orderId: orderIdOf(name, index),
      userEmail: `user${integerBelow(random, users)}@example.com`,
      amount: 1000 * (1 + integerBelow(random, 500)),
      note: 'Thank you for your order',
      meta: { shop: 'hanoi-3', items: [{ sku: 'A-1001', qty: 2 }] },
    }
  }
}

export function orderIdOf(name: string, index: number): string {
  return `${name}-${String(index).padStart(8, '0')}`
}
