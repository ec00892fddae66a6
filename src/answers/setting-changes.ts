type Json = unknown
type JsonObject = Record<string, Json>

/** One field of a setting that a change gave another value. Null: it was not there, or not set. */
export type FieldChange = { field: string; before: Json; after: Json }

/**
 * What differs between two states of a partner, a tenant or the defaults, as the audit trail has them. A partner's tenants
 * and keys are named by their ids: `grants.t1.perTx`. What was not there before is one change, with all of its fields.
 */
export function settingChanges(before: Json, after: Json): FieldChange[] {
  return differences('', before, after)
}

function differences(field: string, before: Json, after: Json): FieldChange[] {
  if (Array.isArray(before) || Array.isArray(after)) {
    return differences(field, byId(before), byId(after))
  }
  const isWhole = field.includes('.') && (before ?? null) === null
  if (isObject(after) && !isWhole) {
    const old = isObject(before) ? before : {}
    const names = [...new Set([...Object.keys(old), ...Object.keys(after)])]
    return names.flatMap((name) =>
      differences(field === '' ? name : `${field}.${name}`, old[name], after[name]),
    )
  }
  const [was, is] = [before ?? null, after ?? null]
  return was === is ? [] : [{ field, before: was, after: is }]
}

function byId(list: Json): JsonObject {
  if (!Array.isArray(list)) return {}
  return Object.fromEntries(list.filter(isObject).map((item) => [String(item.keyId ?? item.tenantId), item]))
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
