import fc from 'fast-check'
import type { Caps } from '../../src/rules/caps.ts'
import type { FaultPoint } from './deployment.ts'

/**
 * The operations of a run as plain data: partners, tenants, users and nodes by number, earlier awards by how long ago
 * they were asked for. So any part of a run can be left out, and what remains is still a run: that is what shrinking
 * needs.
 */
export type Operation =
  | { kind: 'send'; sends: Send[]; fault: FaultAt | null }
  /** A node dies while these are in flight, some turns of the event loop after they were sent. */
  | { kind: 'crash'; sends: Send[]; node: number; turns: number }
  | { kind: 'walk'; partner: number; tenant: number; limit: number; node: number; during: Send[] }
  /** Reads on from a cursor that was given out earlier. */
  | { kind: 'read on'; cursor: number; limit: number; node: number }
  | { kind: 'clock'; days: number; at: 'before midnight' | 'midnight' | 'after midnight' }
  | { kind: 'clock'; forwardMs: number }
  /** Alone, with or without a fault, or while awards are in flight. */
  | { kind: 'set'; setting: Setting; fault: FaultAt | null; during: Send[] }
  | { kind: 'verify' }

/** The n-th of the named points, after it was passed this many times. */
export type FaultAt = { point: number; passings: number }

export type Send =
  | {
      partner: number
      tenant: number
      order: number
      user: number
      amount: number
      note: string | null
      meta: string | null
      node: number
    }
  | { again: number; changed: Change; node: number }

/** What differs from the award that is sent again. Meta in another notation is still the same meta. */
type Change = 'nothing' | 'tenantId' | 'userEmail' | 'amount' | 'note' | 'meta' | 'writing of meta'

export type Setting = { partner: number; tenant: number; node: number } & (
  | { set: 'suspend' | 'resume' | 'allow' | 'deny' | 'rotate' }
  | { set: 'caps' | 'tenant caps'; perTx: CapChange; perPartnerDay: CapChange }
  | { set: 'user cap'; perUserDay: number | null }
  | { set: 'defaults'; caps: Partial<Caps> }
)
/** Undefined leaves it as it is; null lets it fall back. */
export type CapChange = number | null | undefined

export const partnerCount = 3
export const tenantCount = 2
const userCount = 4
const orderCount = 150

const partner = fc.nat(partnerCount - 1)
const tenant = fc.nat(tenantCount - 1)
const account = { partner, tenant }
const maximum = Number.MAX_SAFE_INTEGER

const amount = fc.oneof(
  { weight: 20, arbitrary: fc.integer({ min: 1_000, max: 9_999 }) },
  { weight: 4, arbitrary: fc.constantFrom(1, 999, 1_000, 1_999, 2_000, 40_000, 41_000) },
  { weight: 2, arbitrary: fc.integer({ min: 10_000, max: 60_000 }) },
  { weight: 1, arbitrary: fc.constant(maximum) },
)
const cap = fc.oneof(
  { weight: 3, arbitrary: fc.constant(null) },
  { weight: 3, arbitrary: fc.integer({ min: 5, max: 200 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1, maximum) },
)
const defaultCap = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: 5, max: 300 }) },
  { weight: 1, arbitrary: fc.constantFrom(0, 1, maximum) },
)
const capChange = fc.option(cap, { nil: undefined, freq: 2 })
const metas = [
  ['{"shop":1.5,"items":["a",{"n":2}]}', '{ "items": [ "a", {"n": 2.0} ], "shop": 1.50 }'],
  ['{"shop":1.5,"items":[{"n":2},"a"]}', '{"items":[{"n":2},"a"],"shop":15e-1}'],
  ['{}', '{ }'],
] as const

export function otherWriting(meta: string | null): string | null {
  const pair = metas.find((writings) => (writings as readonly (string | null)[]).includes(meta))
  return pair?.find((writing) => writing !== meta) ?? meta
}

export function otherMeta(meta: string | null): string | null {
  return meta === metas[0][0] ? metas[1][0] : metas[0][0]
}

/** The nodes, and the points where the store can be made to fail. */
type OperationChoices = { points: FaultPoint[]; nodes: number }

/** All operations, in the proportions that find most bugs. */
export function operation({ points, nodes }: OperationChoices): fc.Arbitrary<Operation> {
  const node = fc.nat(nodes - 1)
  const fresh = fc.record({
    ...account,
    order: fc.nat(orderCount - 1),
    user: fc.nat(userCount - 1),
    amount,
    note: fc.constantFrom(null, null, 'for your order', ''),
    meta: fc.constantFrom(null, null, ...metas.flat()),
    node,
  })
  const changed = fc.constantFrom<Change[]>(
    ...(['nothing', 'nothing', 'nothing', 'writing of meta'] as const),
    ...(['tenantId', 'userEmail', 'amount', 'note', 'meta'] as const),
  )
  const again = fc.record({ again: fc.nat(999), changed, node })
  const send = fc.oneof({ weight: 5, arbitrary: fresh }, { weight: 2, arbitrary: again })
  const group = fc.array(send, { minLength: 2, maxLength: 8 })
  /** All of them for one account or one user, where they conflict. */
  const crowd = fc
    .tuple(fc.record(account), fc.array(fresh, { minLength: 2, maxLength: 8 }))
    .map(([same, sends]) => sends.map((one) => ({ ...one, ...same })))
  const rush = fc
    .tuple(fresh, fc.array(fresh, { minLength: 2, maxLength: 8 }))
    .map(([{ user, tenant }, sends]) => sends.map((one) => ({ ...one, user, tenant })))
  const crowdOrNone = fc.oneof(
    { weight: 2, arbitrary: fc.constant<Send[]>([]) },
    { weight: 1, arbitrary: crowd },
  )
  const copies = fc
    .tuple(send, fc.integer({ min: 2, max: 16 }))
    .map(([one, count]) =>
      Array.from({ length: count }, (_, index) => ({ ...one, node: (one.node + index) % nodes })),
    )
  const sends = fc.oneof(
    { weight: 6, arbitrary: send.map((one) => [one]) },
    { weight: 3, arbitrary: group },
    { weight: 3, arbitrary: crowd },
    { weight: 2, arbitrary: rush },
    { weight: 2, arbitrary: copies },
  )
  const point = fc.oneof(
    ...points.map(({ isCostly }, index) => ({ weight: isCostly ? 1 : 40, arbitrary: fc.constant(index) })),
  )
  const fault = fc.oneof(
    { weight: 9, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.record({ point, passings: fc.constantFrom(0, 0, 0, 1, 3) }) },
  )
  const limit = fc.constantFrom(1, 2, 3, 5, 100)
  const setting = fc
    .record({ ...account, node })
    .chain((place) => settings.map((setting) => ({ ...place, ...setting })))

  return fc.oneof(
    { weight: 480, arbitrary: fc.record({ kind: fc.constant('send' as const), sends, fault }) },
    {
      weight: nodes === 1 ? 1 : 4, // alone, it has to be opened again from the start
      arbitrary: fc.record({ kind: fc.constant('crash' as const), sends: group, node, turns: fc.nat(6) }),
    },
    {
      weight: 24,
      arbitrary: fc.record({
        kind: fc.constant('walk' as const),
        ...account,
        limit,
        node,
        during: fc.oneof(fc.constant<Send[]>([]), fc.array(send, { minLength: 1, maxLength: 6 }), crowd),
      }),
    },
    {
      weight: 16,
      arbitrary: fc.record({ kind: fc.constant('read on' as const), cursor: fc.nat(999), limit, node }),
    },
    {
      weight: 24,
      arbitrary: fc.record({
        kind: fc.constant('clock' as const),
        days: fc.constantFrom(-1, 0, 0, 0, 1),
        at: fc.constantFrom('before midnight', 'midnight', 'after midnight'),
      }),
    },
    {
      weight: 24,
      arbitrary: fc.record({
        kind: fc.constant('clock' as const),
        forwardMs: fc.integer({ min: 1, max: 10_000_000 }),
      }),
    },
    {
      weight: 48,
      arbitrary: fc.record({ kind: fc.constant('set' as const), setting, fault, during: crowdOrNone }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('verify' as const) }) },
  )
}

const settings = fc.oneof(
  { weight: 1, arbitrary: fc.record({ set: fc.constant('suspend' as const) }) },
  { weight: 3, arbitrary: fc.record({ set: fc.constant('resume' as const) }) },
  { weight: 1, arbitrary: fc.record({ set: fc.constant('deny' as const) }) },
  { weight: 3, arbitrary: fc.record({ set: fc.constant('allow' as const) }) },
  { weight: 1, arbitrary: fc.record({ set: fc.constant('rotate' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      set: fc.constantFrom('caps' as const, 'tenant caps' as const),
      perTx: capChange,
      perPartnerDay: capChange,
    }),
  },
  { weight: 2, arbitrary: fc.record({ set: fc.constant('user cap' as const), perUserDay: cap }) },
  {
    weight: 2,
    arbitrary: fc.record({
      set: fc.constant('defaults' as const),
      caps: fc.record(
        { perTx: defaultCap, perPartnerDay: defaultCap, perUserDay: defaultCap },
        { requiredKeys: [] },
      ),
    }),
  },
)
