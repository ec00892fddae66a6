/** The body with a new orderId and otherwise unchanged, byte for byte; null if it has no orderId. */
export function newOrderId(body: string, now: number): string | null {
  const member = /("orderId"\s*:\s*)"(?:[^"\\]|\\.)*"/
  if (!member.test(body)) return null
  return body.replace(member, (_, name: string) => `${name}"try-${now.toString(36)}-${randomLetters()}"`)
}

/** Keeps two people who click at the same millisecond from getting the same id. */
function randomLetters(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(4)), (byte) => (byte % 36).toString(36)).join('')
}
