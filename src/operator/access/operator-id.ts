// Checked before the letters are made small: U+212A, the sign of the kelvin, would become a "k".
const form = /^[A-Za-z0-9][A-Za-z0-9._@+-]{0,99}$/

export const operatorIdRule =
  'must be 1 to 100 characters: letters, digits and . _ @ + - (a short name, or an e-mail address)'

/** As it is stored: in lower case, so that it can be typed in any. Null: no account can have this name. */
export function operatorIdOf(typed: string): string | null {
  const trimmed = typed.trim()
  return form.test(trimmed) ? trimmed.toLowerCase() : null
}
