import type { ExplainedRefusal } from '../../answers/explain-refusal.ts'
import { problems } from '../../wire/problems/catalog.ts'

/**
 * What an operator may send to a partner: only what the partner sent, or was told in the response. So it never says how
 * much a user has received, and for a wrong signature not whether the key, and with it the partner, exists.
 */
export function forPartner({ refusal, resetsAt }: ExplainedRefusal): string {
  const { code, requestId, at, tenantId, cap, limit, requested, used } = refusal
  const { status, advice } = problems[code]
  const isSigned = code !== 'INVALID_SIGNATURE' && code !== 'TIMESTAMP_OUT_OF_RANGE'
  const isTenantKnown = isSigned && !tenantId.startsWith('(')
  return [
    `Request ${requestId} was refused on ${vietnamText(at)} (UTC+7) with ${code} (HTTP ${status}).`,
    ...(isTenantKnown ? [`tenantId: ${tenantId}`] : []),
    ...(cap === null ? [] : [`cap: ${cap}`]),
    ...(limit === null ? [] : [`limit: ${limit}`]),
    ...(requested === null ? [] : [`requested: ${requested}`]),
    // The response says it of perPartnerDay only.
    ...(used === null || cap !== 'perPartnerDay' ? [] : [`used: ${used}`]),
    ...(resetsAt === null ? [] : [`resetsAt: ${vietnamText(resetsAt)} (UTC+7)`]),
    '',
    advice,
  ].join('\n')
}

const vietnamOffsetMs = 25_200_000

function vietnamText(iso: string): string {
  return new Date(Date.parse(iso) + vietnamOffsetMs).toISOString().slice(0, 19).replace('T', ' ')
}
