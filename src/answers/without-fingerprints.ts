/** What the trail has only so that `verify` notices a secret replaced without the service, and what is shown for it. */
const shownAs = new Map([
  ['passwordFingerprint', 'password'],
  ['fingerprint', 'secret'],
])

/**
 * Two states of a setting, with `password: "set"` for a fingerprint, and "changed" after a change. The row itself keeps
 * the fingerprints: its hash covers them.
 */
export function withoutFingerprints(before: unknown, after: unknown): [unknown, unknown] {
  return [shown(before, before), shown(after, before)]
}

function shown(state: unknown, before: unknown): unknown {
  if (!isObject(state)) return state
  return Object.fromEntries(
    Object.entries(state).map(([name, value]) => {
      const shownName = shownAs.get(name)
      if (shownName === undefined) return [name, value]
      const was = isObject(before) ? (before[name] ?? null) : null
      return [shownName, value === null ? null : was === null || was === value ? 'set' : 'changed']
    }),
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
