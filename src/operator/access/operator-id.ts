const form = /^[a-z0-9][a-z0-9._@+-]{0,99}$/

export const operatorIdRule =
  'must be 1 to 100 characters: letters, digits and . _ @ + - (a short name, or an e-mail address)'

/** As it is stored: in lower case, so that it can be typed in any. Null: no account can have this name. */
export function operatorIdOf(typed: string): string | null {
  const operatorId = typed.trim().toLowerCase()
  return form.test(operatorId) ? operatorId : null
}
