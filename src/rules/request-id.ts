/** The form of an X-Request-Id that is kept. */
export const requestIdPattern = '^[A-Za-z0-9_.:-]{1,128}$'
const wellFormed = new RegExp(requestIdPattern)

export function isRequestId(text: string): boolean {
  return wellFormed.test(text)
}
