/**
 * Replaces: `JSON.stringify` of the response to a credited award.
 * Buys: a response takes a sixth of the time (`npm run shortcuts`), and an award about 3 µs less of the main thread.
 * Compared in: src/shortcuts/credited-text.test.ts
 */
type Credited = { epTransactionId: string; orderId: string; points: number }

/** Needs no escapes in JSON. Half of a surrogate pair would. */
const plain = /^[^"\\\p{Cc}\p{Cs}]*$/u

/** Only `orderId` comes from outside. */
export function creditedText({ epTransactionId, orderId, points }: Credited): string {
  const order = plain.test(orderId) ? `"${orderId}"` : JSON.stringify(orderId)
  return `{"epTransactionId":"${epTransactionId}","status":"COMPLETED","orderId":${order},"points":${points}}`
}
