/** The body with another orderId and otherwise as it was, byte for byte; null where it has none. */
export function newOrderId(body: string, now: number): string | null {
  const member = /("orderId"\s*:\s*)"(?:[^"\\]|\\.)*"/
  if (!member.test(body)) return null
  return body.replace(member, (_, name: string) => `${name}"try-${now.toString(36)}-${randomLetters()}"`)
}

/** Two people who press at the same moment do not get the same one. */
function randomLetters(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(4)), (byte) => (byte % 36).toString(36)).join('')
}
