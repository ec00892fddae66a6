import { isPoints } from './read-member.ts'
import type { Answer } from './attempt.ts'
import { InvalidArgumentError, isObject, type PartnerCreditError } from './errors.ts'
import type { RuleFault } from './rule-fault.ts'
import { objectIn, unexpectedAnswer } from './failure-of.ts'
import type { CallOptions, Requester } from './requester.ts'
import { isSandbox } from './is-sandbox.ts'

export type AwardRequest = {
  /** One of your allowedTenants. */
  tenantId: string
  /** 1 to 200 characters. One orderId is credited once, forever: store it in your database before the call. */
  orderId: string
  /** ASCII; A–Z become a–z. */
  userEmail: string
  /** A whole number of raw units; 1000 of them are 1 EP. */
  amount: number
  /** At most 500 characters. Shown in the user's EP history. */
  note?: string | null | undefined
  /** Your own data, kept as sent. Put nothing in it that changes between attempts: that would be a conflict. */
  meta?: Record<string, unknown> | null | undefined
}

export type Award = {
  epTransactionId: string
  status: 'COMPLETED'
  orderId: string
  /** EP credited. */
  points: number
  /** True if the order had been credited before, perhaps by an attempt whose response was lost. */
  duplicate: boolean
  /** EP that you can still award in this tenant today; null for a duplicate. */
  partnerDayRemaining: number | null
  /** The next Vietnam midnight, ISO 8601; null for a duplicate. */
  dayResetsAt: string | null
  /** True in a sandbox tenant: the award follows every rule, but does not count. */
  sandbox: boolean
  requestId: string
}

/**
 * The body is made once: every attempt signs and sends the same bytes. The order is not read after that, as the caller may
 * change it while the call waits.
 */
export async function award(request: Requester, order: AwardRequest, options?: CallOptions): Promise<Award> {
  const body = new TextEncoder().encode(bodyOf(order))
  const sentOrderId = order.orderId
  const answer = await request({ method: 'POST', path: '/v1/ep/webhook', payload: body, body }, options)
  const { epTransactionId, status, orderId, points, code } = objectIn(answer) ?? {}
  const duplicate = code === 'DUPLICATE'
  if (typeof epTransactionId !== 'string' || status !== 'COMPLETED' || !isPoints(points)) {
    throw unknownOutcome(answer, 'the answer is not an award')
  }
  if (!duplicate && orderId !== sentOrderId) {
    throw unknownOutcome(answer, 'the answer is to another order')
  }
  const remaining = answer.headers.get('ep-partner-day-remaining')
  return {
    epTransactionId,
    status,
    orderId: sentOrderId,
    points,
    duplicate,
    partnerDayRemaining: remaining === null ? null : Number(remaining),
    dayResetsAt: answer.headers.get('ep-day-resets-at'),
    sandbox: isSandbox(answer),
    requestId: answer.requestId,
  }
}

function unknownOutcome(answer: Answer, why: string): PartnerCreditError {
  return Object.assign(unexpectedAnswer(answer, why), { mayBeCredited: true })
}

const text = (value: unknown) => (typeof value === 'string' && value !== '' ? null : stringRule(value))
const optional = (rule: (value: unknown) => string | null) => (value: unknown) =>
  value === undefined || value === null ? null : rule(value)

/**
 * Finds what a compiler would have found, and what JSON would lose silently. The rules for the values (lengths,
 * addresses, minimum) are the service's.
 */
const rules: Record<keyof AwardRequest, (value: unknown) => string | null> = {
  tenantId: text,
  orderId: text,
  userEmail: text,
  amount: amountRule,
  note: optional((value) => (typeof value === 'string' ? null : stringRule(value))),
  meta: optional(metaRule),
}

function bodyOf(order: AwardRequest): string {
  if (!isObject(order)) {
    throw new InvalidArgumentError('the award', [{ pointer: '', detail: 'must be an object' }])
  }
  const unknown = Object.keys(order).filter((name) => !Object.hasOwn(rules, name))
  const faults: RuleFault[] = unknown.map((name) => ({
    pointer: `/${name}`,
    detail: 'is not a field of an award: put free-form data into meta',
  }))
  for (const [name, rule] of Object.entries(rules)) {
    const detail = rule(order[name as keyof AwardRequest])
    if (detail !== null) faults.push({ pointer: `/${name}`, detail })
  }
  if (faults.length > 0) throw new InvalidArgumentError('the award', faults)
  const { tenantId, orderId, userEmail, amount, note, meta } = order
  return JSON.stringify({ tenantId, orderId, userEmail, amount, note, meta })
}

function stringRule(value: unknown): string {
  if (value === undefined || value === null) return 'is missing'
  if (value === '') return 'must not be empty'
  return `must be a string, not a ${typeof value}`
}

function amountRule(value: unknown): string | null {
  if (value === undefined || value === null) return 'is missing'
  if (typeof value !== 'number') return `must be a number, not a ${typeof value}`
  if (!Number.isInteger(value)) return 'must be a whole number of raw units'
  if (value <= 0) return 'must be greater than zero'
  return Number.isSafeInteger(value) ? null : 'must be at most 9007199254740991'
}

function metaRule(value: unknown): string | null {
  if (Object.prototype.toString.call(value) !== '[object Object]') return 'must be a plain object'
  try {
    JSON.stringify(value, (_, inner) => {
      if (isLostInJson(inner)) throw new TypeError('it has a Map, a Set, a function, NaN or an infinity')
      return inner
    })
    return null
  } catch (error) {
    // JSON's own errors (a bigint, a circular structure) name no value.
    return `cannot be written as JSON: ${error instanceof Error ? error.message : 'it throws'}`
  }
}

function isLostInJson(value: unknown): boolean {
  return (
    value instanceof Map ||
    value instanceof Set ||
    typeof value === 'function' ||
    typeof value === 'symbol' ||
    (typeof value === 'number' && !Number.isFinite(value))
  )
}
