import type { WireAnswer } from './answer-reader.ts'
import { privateMark } from './json-values.ts'

/** The statuses and codes that partners were promised, as an independent copy: the service's own table is under test. */
const codesOf: Record<number, string[]> = {
  400: ['INVALID_REQUEST'],
  401: ['INVALID_SIGNATURE', 'TIMESTAMP_OUT_OF_RANGE'],
  403: ['TENANT_NOT_ALLOWED', 'PARTNER_SUSPENDED'],
  404: ['NOT_FOUND'],
  405: ['INVALID_REQUEST'],
  408: ['INVALID_REQUEST'],
  409: ['ORDER_ID_CONFLICT'],
  413: ['INVALID_REQUEST'],
  414: ['INVALID_REQUEST'],
  415: ['INVALID_REQUEST'],
  417: ['INVALID_REQUEST'],
  422: ['AMOUNT_BELOW_MIN', 'PER_TX_CAP_EXCEEDED'],
  429: ['DAILY_CAP_EXCEEDED', 'RATE_LIMITED'],
  431: ['INVALID_REQUEST'],
  503: ['UNAVAILABLE'],
}

/** Every refusal that a fuzzed request can get from a healthy service: a run that misses one has a gap. */
export const reachableAnswers = Object.entries(codesOf)
  .filter(([status]) => status !== '503' && status !== '408')
  .flatMap(([status, codes]) => codes.map((code) => `${status} ${code}`))
  .concat('200', '200 DUPLICATE', '202')

const formMembers = ['type', 'title', 'status', 'code', 'detail', 'requestId']
const membersOf: Record<string, string[]> = {
  INVALID_REQUEST: ['errors'],
  INVALID_SIGNATURE: ['bodyBytes', 'bodySha256'],
  TIMESTAMP_OUT_OF_RANGE: ['serverTime', 'skewMs'],
  ORDER_ID_CONFLICT: ['differs', 'epTransactionId', 'awardedAt'],
  AMOUNT_BELOW_MIN: ['minimum'],
  PER_TX_CAP_EXCEEDED: ['limit', 'requested'],
  DAILY_CAP_EXCEEDED: ['cap', 'limit', 'requested', 'resetsAt', 'used'],
}

const waits = ['DAILY_CAP_EXCEEDED', 'RATE_LIMITED', 'UNAVAILABLE']

// biome-ignore lint/suspicious/noExplicitAny: a body says itself, by the checks, what it is
type Body = any

/** A response that has passed: its short name (status and code) and its body, null if it is not JSON. */
type Judged = { name: string; body: Body } | { fault: string }

/** Is this a response that partners were promised? */
export function judgeAnswer(answer: WireAnswer, isHead: boolean): Judged {
  const { status, headers, text } = answer
  if (!headers.has('x-request-id')) return { fault: 'has no X-Request-Id' }
  if (headers.has('access-control-allow-origin')) return { fault: 'has CORS headers' }
  const type = headers.get('content-type') ?? ''
  if (status === 200 || status === 202) {
    if (/^text\/(plain|html)/.test(type)) return { name: String(status), body: null }
    const body = parsed(text)
    if (body === undefined) return { fault: 'is no JSON' }
    return { name: body.code === undefined ? String(status) : `${status} ${body.code}`, body }
  }
  const codes = codesOf[status]
  if (codes === undefined) return { fault: 'is not a published status' }
  if (type !== 'application/problem+json; charset=utf-8') return { fault: `is ${type}, not problem+json` }
  if (isHead) return text === '' ? { name: `${status} HEAD`, body: null } : { fault: 'has a body on HEAD' }
  return judgeProblem(answer, codes)
}

function judgeProblem({ status, headers, text }: WireAnswer, codes: string[]): Judged {
  const body = parsed(text)
  if (body === undefined || body === null) return { fault: 'is no JSON' }
  const { code } = body
  if (!codes.includes(code)) return { fault: `${code} is not a published code of ${status}` }
  const allowed = [...formMembers, ...(membersOf[code] ?? [])]
  const foreign = Object.keys(body).filter((member) => !allowed.includes(member))
  if (foreign.length > 0) return { fault: `has the unpublished members ${foreign.join(', ')}` }
  const blank = ['title', 'detail', 'requestId'].filter(
    (member) => typeof body[member] !== 'string' || body[member] === '',
  )
  if (blank.length > 0) return { fault: `lacks ${blank.join(', ')}` }
  if (body.status !== status || body.type !== `/docs/errors/${code}`) return { fault: 'contradicts itself' }
  if (body.requestId !== headers.get('x-request-id'))
    return { fault: 'has another requestId than its header' }
  if (status === 405 && !headers.has('allow')) return { fault: 'is 405 without Allow' }
  if (waits.includes(code) && !/^[1-9][0-9]*$/.test(headers.get('retry-after') ?? ''))
    return { fault: 'has no Retry-After' }
  const leak = privateIn(text)
  return leak === null ? { name: `${status} ${code}`, body } : { fault: `repeats ${leak}` }
}

/** Parts of an e-mail address, a note, meta, a key or a secret in a text that anyone may read. */
export function privateIn(text: string): string | null {
  return [privateMark, 'pcs_', 'pck_'].find((mark) => text.toLowerCase().includes(mark)) ?? null
}

function parsed(text: string): Body | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
