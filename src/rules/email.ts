const lengthMax = 254
const localLengthMax = 64

const atom = "[A-Za-z0-9_!#$%&'*+/=?^`{|}~-]+"
const dotAtom = `${atom}(?:\\.${atom})*`
const domainLabel = '[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?'

/** The same rule as a schema, for the contract. The length of the local part is a separate pattern. */
export const emailSchema = {
  type: 'string',
  format: 'email',
  maxLength: lengthMax,
  pattern: `^${dotAtom}@${domainLabel}(?:\\.${domainLabel})+$`,
  allOf: [{ pattern: `^[^@]{1,${localLengthMax}}@` }],
} as const

const localPart = new RegExp(`^${dotAtom}$`)
const label = new RegExp(`^${domainLabel}$`)

type Email = { ok: true; email: string } | { ok: false; detail: string }

/**
 * Checks an address and lowercases A–Z; nothing is trimmed and nothing else is folded. ASCII only: the Kelvin sign
 * lowercases to `k`, so folding Unicode would merge two users and their caps.
 */
export function normalizeEmail(text: string): Email {
  if (!/^[\x00-\x7f]*$/.test(text)) {
    return refuse('must be ASCII: write an internationalized domain in its punycode form (xn--…)')
  }
  if (text.length > lengthMax) return refuse(`must have at most ${lengthMax} characters`)
  const [local = '', domain = '', ...more] = text.split('@')
  if (local === '' || domain === '' || more.length > 0) return refuse('must have the form name@domain')
  if (local.length > localLengthMax) {
    return refuse(`must have at most ${localLengthMax} characters before the @`)
  }
  if (!localPart.test(local)) {
    return refuse('has a character or a dot before the @ that is not allowed (no spaces, no quotes)')
  }
  const labels = domain.split('.')
  if (labels.length < 2 || !labels.every((part) => label.test(part))) {
    return refuse('must have a domain of at least two labels of letters, digits and inner hyphens')
  }
  return { ok: true, email: text.toLowerCase() }
}

function refuse(detail: string): Email {
  return { ok: false, detail }
}
