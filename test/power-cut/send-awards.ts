import assert from 'node:assert/strict'
import { systemClock } from '../../src/clock.ts'
import { createClient } from '../support/client.ts'
import { integerBelow, type Random } from '../support/seeded-random.ts'

export type Award = { orderId: string; userEmail: string; amount: number; meta: object }

/** What the clients were told. */
export type Answers = {
  /** Each acknowledged award, and the order that it was for. */
  orders: Map<string, string>
  /** How many had been credited before. */
  duplicates: number
}

const metaBytesMax = 15_000

/** Large enough to fill the write-ahead log now and then, so that checkpoints are part of the run. */
export function someAwards(count: number, random: Random): Award[] {
  return Array.from({ length: count }, (_, index) => ({
    orderId: `order-${index}`,
    userEmail: `user${integerBelow(random, 20)}@example.com`,
    amount: 1000 + integerBelow(random, 9000),
    meta: { receipt: 'x'.repeat(integerBelow(random, metaBytesMax)) },
  }))
}

/**
 * Sends awards from `left` until it is empty or the server has died, and records the responses. Returns those that were sent
 * and got no response, in order.
 */
export async function sendAwards(
  left: Award[],
  { url, key, clients }: { url: string; key: { apiKey: string; signingSecret: string }; clients: number },
  answers: Answers,
): Promise<Award[]> {
  const acme = createClient(url, key, systemClock)
  const unanswered: Award[] = []
  async function client(): Promise<void> {
    for (let award = left.shift(); award !== undefined; award = left.shift()) {
      const answer = await acme.award(award).catch(() => null)
      if (answer === null) return void unanswered.push(award)
      assert.ok(answer.status === 202 || answer.status === 200, answer.text)
      if (answer.status === 200) answers.duplicates++
      answers.orders.set(answer.body.epTransactionId, award.orderId)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return unanswered.sort((one, other) => one.orderId.localeCompare(other.orderId, 'en', { numeric: true }))
}
