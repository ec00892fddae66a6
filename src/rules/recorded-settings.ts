/**
 * Whether a partner, a tenant, the defaults or an operator are as an audit row recorded them, both as JSON. The order of a
 * partner's tenants and keys does not matter. A field that the row does not have was added to the service later: it is
 * ignored, unless it is known what it was until then. So is a missing password: no export carries it, and nobody signs in
 * by it.
 */
export function isAsRecorded(recorded: string, current: string): boolean {
  return holds(JSON.parse(recorded), JSON.parse(current))
}

function holds(recorded: unknown, current: unknown): boolean {
  if (Array.isArray(recorded)) return Array.isArray(current) && holdsSet(recorded, current)
  if (isObject(recorded)) {
    if (!isObject(current)) return false
    const asItWas = { ...untilRecorded(current), ...recorded, ...notCarried(current) }
    return Object.keys(asItWas).every((name) => holds(asItWas[name], current[name]))
  }
  return recorded === current
}

/** A tenant from before there were sandbox tenants is a live one. */
function untilRecorded(current: Record<string, unknown>): Record<string, unknown> {
  return 'mode' in current ? { mode: 'live' } : {}
}

function notCarried({ passwordFingerprint }: Record<string, unknown>): Record<string, unknown> {
  return passwordFingerprint === null ? { passwordFingerprint } : {}
}

function holdsSet(recorded: unknown[], current: unknown[]): boolean {
  const byId = new Map(current.map((item) => [idOf(item), item]))
  return recorded.length === current.length && recorded.every((item) => holds(item, byId.get(idOf(item))))
}

function idOf(item: unknown): unknown {
  return isObject(item) ? (item.keyId ?? item.tenantId) : item
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
