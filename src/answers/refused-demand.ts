import type { TriedCapName } from './cap-trial.ts'
import type { AnswerSources } from './sources.ts'

/** An award that a cap refused. `order` names the order as the journal does. */
export type RefusedDemand = { at: number; order: string; requested: number; limit: number }

/** By tenant, oldest first. */
type Demand = { tenants: Map<string, RefusedDemand[]>; isCut: boolean }

/** In memory at once. The journal keeps at most 500 rows per partner, hour, code and process. */
const refusalsMax = 200_000

type DemandQuestion = { partnerId: string; tenantId: string | undefined; since: number; cap: TriedCapName }

const codes = { perTx: 'PER_TX_CAP_EXCEEDED', perPartnerDay: 'DAILY_CAP_EXCEEDED' } as const

/** What a partner wanted to award since then, and this cap refused. */
export async function refusedDemand(
  { journal }: AnswerSources,
  { partnerId, tenantId, since, cap: name }: DemandQuestion,
): Promise<Demand> {
  const code = codes[name]
  const rows = await journal.refusals({ from: since, partnerId, tenantId, code, limit: refusalsMax })
  const tenants = new Map<string, RefusedDemand[]>()
  for (const row of rows.reverse()) {
    const { cap, limit, at, requested, orderFingerprint, requestId, tenantId: of } = row
    if (cap !== name || limit === null || requested === null) continue
    const demand = { at, order: orderFingerprint ?? `request ${requestId}`, requested, limit }
    const known = tenants.get(of)
    if (known === undefined) tenants.set(of, [demand])
    else known.push(demand)
  }
  return { tenants, isCut: rows.length === refusalsMax }
}
