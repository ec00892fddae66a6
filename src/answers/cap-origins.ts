import type { AuditRow } from '../rules/audit-hash.ts'
import { builtInCaps, type Caps } from '../rules/caps.ts'
import { isoTime } from '../rules/iso-time.ts'
import {
  type AccountCaps,
  accountCaps,
  type CapName,
  type CapPlace,
  type CapSources,
} from './caps-in-force.ts'

/** The change that gave a cap its value. */
export type CapChange = {
  auditSeq: number
  at: string
  actor: string
  action: string
  reason: string | null
}

/** Null: the audit trail does not say. */
export type CapOrigin = { from: CapPlace; change: CapChange | null } | null

/** The clocks of the operator's machine and of the server may differ; and a change needs a moment to be everywhere. */
const toleranceMs = 300_000

const names = ['perTx', 'perPartnerDay', 'perUserDay'] as const satisfies CapName[]

/**
 * Where the caps that were in force at a time came from, by the rows of the audit trail about the partner, the tenant and
 * the defaults, in their order. A cap of which the trail knows another value at that time is not recorded: it was set
 * before the trail began, or by SQL instead of a command.
 */
export function capOrigins(
  rows: AuditRow[],
  account: { tenantId: string },
  { caps, at }: { caps: Caps; at: number },
): Record<CapName, CapOrigin> {
  const history = statesOf(rows, account.tenantId)
  return Object.fromEntries(names.map((name) => [name, originOf(history, name, caps[name], at)])) as Record<
    CapName,
    CapOrigin
  >
}

/** Undefined: nothing is recorded, or the tenant is not among the partner's. */
type Sources = Pick<CapSources, 'defaults'> & {
  grant?: CapSources['grant'] | undefined
  partner?: CapSources['partner']
  tenant?: CapSources['tenant']
}

const notSet = { perTx: null, perPartnerDay: null, perUserDay: null }

/** From `at` until the next state. `setBy` has the rows that gave each place its present value. */
type State = { at: number; caps: AccountCaps; setBy: ReadonlyMap<string, AuditRow> }

function statesOf(rows: AuditRow[], tenantId: string): State[] {
  const states: State[] = []
  let sources: Sources = { defaults: builtInCaps }
  const setBy = new Map<string, AuditRow>()
  for (const row of rows) {
    const after = changed(sources, row, tenantId)
    for (const place of valuesOf(after, sources)) {
      const isFirst = !setBy.has(place.key) && (place.value ?? null) !== null
      if (isFirst || place.value !== valueAt(sources, place.key)) setBy.set(place.key, row)
    }
    sources = after
    const { grant = notSet, partner = notSet, tenant = notSet, defaults } = sources
    const caps = accountCaps({ grant, partner, tenant, defaults })
    states.push({ at: row.at, caps, setBy: new Map(setBy) })
  }
  return states
}

function changed(sources: Sources, row: AuditRow, tenantId: string): Sources {
  const { after, grants } = recorded(row)
  if (after === null) return sources
  if (row.subject === 'defaults') return { ...sources, defaults: after as Caps }
  if (row.subject === `tenant ${tenantId}`) return { ...sources, tenant: after as CapSources['tenant'] }
  if (row.subject.startsWith('tenant ')) return sources
  return { ...sources, partner: after as CapSources['partner'], grant: grants.get(tenantId) }
}

type Recorded = { after: Record<string, unknown> | null; grants: ReadonlyMap<string, CapSources['grant']> }

/** Read once, although a partner's row is looked at for each of its tenants. */
const recordedOf = new WeakMap<AuditRow, Recorded>()

function recorded(row: AuditRow): Recorded {
  const known = recordedOf.get(row)
  if (known !== undefined) return known
  const after = objectOf(row.after)
  const list = (after?.grants ?? []) as ({ tenantId: string } & CapSources['grant'])[]
  const read = { after, grants: new Map(list.map((grant) => [grant.tenantId, grant])) }
  recordedOf.set(row, read)
  return read
}

/** Every value of the places that a row has changed, by `place.cap`. */
function valuesOf(after: Sources, before: Sources): { key: string; value: unknown }[] {
  return Object.entries(after)
    .filter(([place, values]) => values !== before[place as keyof Sources])
    .flatMap(([place, values]) =>
      names.map((name) => ({ key: `${place}.${name}`, value: capAt(values, name) })),
    )
}

function valueAt(sources: Sources, key: string): unknown {
  const [place, name] = key.split('.') as [keyof CapSources, CapName]
  return capAt(sources[place], name)
}

function capAt(values: object | undefined, name: CapName): unknown {
  return (values as Record<string, unknown> | undefined)?.[name]
}

const sourceOf: Record<CapPlace, keyof CapSources> = {
  'partner in tenant': 'grant',
  partner: 'partner',
  tenant: 'tenant',
  default: 'defaults',
}

function originOf(states: State[], name: CapName, limit: number, at: number): CapOrigin {
  let best: { state: State; distance: number } | null = null
  for (const [index, state] of states.entries()) {
    if (state.caps[name].limit !== limit) continue
    const end = states[index + 1]?.at ?? Number.POSITIVE_INFINITY
    const distance = at < state.at ? state.at - at : Math.max(0, at - end)
    if (distance <= toleranceMs && (best === null || distance <= best.distance)) best = { state, distance }
  }
  if (best === null) return null
  const { from } = best.state.caps[name]
  const row = best.state.setBy.get(`${sourceOf[from]}.${name}`)
  return { from, change: row === undefined ? null : changeOf(row) }
}

function changeOf({ auditSeq, at, actor, action, reason }: AuditRow): CapChange {
  return { auditSeq, at: isoTime(at, 'audit'), actor, action, reason }
}

/** Null: the setting is not there any longer, or the row is not one that the service writes. */
function objectOf(text: string): Record<string, unknown> | null {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
