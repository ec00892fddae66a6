import { amountPerEp } from '../../../../rules/points.ts'
import { nextVietnamMidnight } from '../../../../rules/vietnam-day.ts'
import { problems } from '../../../../wire/problems/catalog.ts'
import { isolated } from './isolated.ts'
import type { Refusal } from './refusal.ts'
import { copiedTime } from './times.ts'

/**
 * What the support desk may send to the partner about a refusal. It says only what the partner sent or was told in the
 * response: nothing of other partners, nothing of a user's total, nothing of keys, and nothing that happened since, except
 * that a suspended partner is active again, which its next award would tell it. Numbers have no separators, as in the API.
 */
export function refusalForPartner(
  refusal: Refusal,
  orderId: string | null,
  statusNow: 'active' | 'suspended' | null = null,
): string {
  const { at, code, cap, requestId } = refusal
  // The protocol's own statuses (405, 413, …) share this code, and the journal does not keep the status.
  const status = code === 'INVALID_REQUEST' ? '' : ` (${problems[code].status})`
  const ofCap = cap === null ? '' : `, cap ${cap}`
  return [
    `${subjectOf(refusal, orderId)} was refused on ${copiedTime(Date.parse(at))}.`,
    `Request ID: ${requestId}`,
    `Code: ${code}${status}${ofCap}`,
    '',
    ...paragraphs(refusal, statusNow),
  ].join('\n')
}

/**
 * Codes of checks behind that of the tenant. Before it, the journal names a tenant only if it exists, and whether it does
 * is nothing that a partner may learn.
 */
const tenantIsKnown = new Set([
  'ORDER_ID_CONFLICT',
  'PARTNER_SUSPENDED',
  'AMOUNT_BELOW_MIN',
  'PER_TX_CAP_EXCEEDED',
  'DAILY_CAP_EXCEEDED',
])

/** Before the signature is checked, nothing of the body is read: such a refusal belongs to no order. */
const isBeforeOrder = new Set(['INVALID_SIGNATURE', 'TIMESTAMP_OUT_OF_RANGE', 'RATE_LIMITED', 'NOT_FOUND'])

function subjectOf({ code, endpoint, tenantId }: Refusal, orderId: string | null): string {
  if (endpoint === 'history') return 'A request for award history'
  const place = tenantIsKnown.has(code) ? ` in tenant ${tenantId}` : ''
  return orderId === null || isBeforeOrder.has(code)
    ? `An award request${place}`
    : `Order ${isolated(orderId)}${place}`
}

function paragraphs(refusal: Refusal, statusNow: string | null): string[] {
  const { code, cap, limit, requested } = refusal
  // What is missing was not kept: then the published explanation of the code has to do.
  if (limit !== null && requested !== null) {
    if (code === 'PER_TX_CAP_EXCEEDED')
      return [
        `The award was ${requested} EP. Your cap per award is ${limit} EP. ${stillFree}`,
        '',
        `${problems[code].retry} Awards of up to ${limit} EP are not affected.`,
      ]
    if (code === 'DAILY_CAP_EXCEEDED' && cap === 'perUserDay') return userDay(refusal, limit, requested)
    if (code === 'DAILY_CAP_EXCEEDED' && refusal.used !== null)
      return partnerDay(refusal, limit, requested, refusal.used)
  }
  if (code === 'AMOUNT_BELOW_MIN')
    return [`${amountPerEp} units are 1 EP, rounded down. The amount was below ${amountPerEp}. ${stillFree}`]
  if (code === 'PARTNER_SUSPENDED') return suspended(statusNow)
  const { title, advice } = problems[code]
  return [`${title}.`, '', advice]
}

const stillFree = 'Nothing was recorded and the order ID is still free.'

/** The text is sent later than the refusal: nothing in it may be wrong by then. */
function suspended(statusNow: string | null): string[] {
  return [
    'The partner was suspended at that time. Nothing was recorded.',
    '',
    statusNow === 'active'
      ? 'It is active again: send the order again with the same orderId.'
      : 'New awards are refused until the operator resumes it; history and replays of known orders still work. After that, send the order again with the same orderId.',
  ]
}

function partnerDay({ at }: Refusal, limit: number, requested: number, used: number): string[] {
  const left = Math.max(0, limit - used)
  const told = `The award was ${requested} EP. You had used ${used} of your ${limit} EP for this tenant that day, so ${left} EP were left. ${stillFree}`
  if (requested > limit)
    return [
      told,
      '',
      'The award is larger than the cap of a whole day, so it does not fit on another day either.',
    ]
  const smaller = left > 0 ? ` Awards of up to ${left} EP were still accepted that day.` : ''
  return [told, '', `Send the same order again after ${resetOf(at)}.${smaller}`]
}

/** Never how much the user has received, or what would still fit: that would tell of other partners' awards. */
function userDay({ at, tenantId }: Refusal, limit: number, requested: number): string[] {
  const told = `The award was ${requested} EP. It would have exceeded what one user may receive in tenant ${tenantId} in one day, which is ${limit} EP. ${stillFree}`
  if (requested > limit)
    return [
      told,
      '',
      'The award is larger than the cap of a whole day, so it does not fit on another day either.',
    ]
  return [told, '', `Send the same order again after ${resetOf(at)}.`]
}

function resetOf(at: string): string {
  return copiedTime(nextVietnamMidnight(Date.parse(at)))
}
