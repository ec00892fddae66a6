/**
 * The one form of tenant and partner ids. It cannot begin with a brace, so that a signature over a tenantId (history)
 * is never valid over an award's body, nor the other way round.
 */
export function isId(text: string): boolean {
  return id.test(text)
}

export const idPattern = '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$'
const id = new RegExp(idPattern)

export const idRule =
  'must be 1 to 64 letters, digits, dots, underscores or hyphens, beginning with a letter or digit'
