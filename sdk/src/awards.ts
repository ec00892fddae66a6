import { InvalidArgumentError, isObject } from './errors.ts'
import type { RuleFault } from './rule-fault.ts'
import { objectIn, unexpectedAnswer } from './failure-of.ts'
import type { CallOptions, Requester } from './requester.ts'
import { isPoints } from './read-member.ts'
import { isSandbox } from './is-sandbox.ts'

export type AwardHistoryItem = {
  epTransactionId: string
  /** Every award has one today; null is reserved for credits without an order. */
  orderId: string | null
  /** In lowercase. */
  userEmail: string
  /** EP credited. */
  points: number
  /** Null if none was sent. */
  note: string | null
  /** The service's time of the award, ISO 8601. */
  awardedAt: string
}

export type AwardHistoryPage = {
  tenantId: string
  /** Newest first. */
  items: AwardHistoryItem[]
  /** Cursor of the next page; null on the last page. */
  nextCursor: string | null
  /** True in a sandbox tenant, whose awards do not count. */
  sandbox: boolean
}

export type AwardsPageQuery = {
  tenantId: string
  /** Awards on the page, 1 to 100; the service's default is 20. */
  limit?: number | undefined
  /** The nextCursor of the previous page. */
  cursor?: string | null | undefined
}

export type AwardsQuery = {
  tenantId: string
  /** Awards per request, 1 to 100; 100 by default. It does not limit how many you get. */
  pageSize?: number | undefined
  /** Start after this page instead of with the newest award. */
  cursor?: string | null | undefined
}

export type Awards = {
  /** All your awards in the tenant, newest first. Each page is requested when you reach it. */
  (query: AwardsQuery, options?: CallOptions): AsyncGenerator<AwardHistoryItem, void, undefined>
  /** One page. */
  page(query: AwardsPageQuery, options?: CallOptions): Promise<AwardHistoryPage>
}

const pageSizeDefault = 100
const endless = 'so the list would never end: something in between, such as a cache, disregards the cursor'

export function createAwards(request: Requester): Awards {
  const page = async (query: AwardsPageQuery, options?: CallOptions) => {
    check(query, ['tenantId', 'limit', 'cursor'])
    return ask(query, options, new Set())
  }

  /** `asked`: the cursors of the pages before. */
  async function ask(query: AwardsPageQuery, options: CallOptions | undefined, asked: Set<string>) {
    // The caller may change the query while the call waits.
    const { tenantId, limit, cursor } = query
    if (typeof cursor === 'string') asked.add(cursor)
    const path = `/v1/ep/webhook/awards?${queryOf({ tenantId, limit, cursor })}`
    const answer = await request({ method: 'GET', path, payload: tenantId, body: null }, options)
    const { tenantId: answeredTenantId, items, nextCursor } = objectIn(answer) ?? {}
    const isPage =
      Array.isArray(items) && items.every(isItem) && (nextCursor === null || typeof nextCursor === 'string')
    if (!isPage || answeredTenantId !== tenantId) {
      throw unexpectedAnswer(answer, "the answer is not a page of this tenant's awards")
    }
    if (nextCursor !== null && asked.has(nextCursor)) {
      const which = nextCursor === cursor ? 'itself' : 'one before it'
      throw unexpectedAnswer(answer, `the page names ${which} as the next one, ${endless}`)
    }
    if (nextCursor !== null && items.length === 0) {
      throw unexpectedAnswer(answer, `the page is empty and names a next one, ${endless}`)
    }
    return {
      tenantId,
      items,
      nextCursor,
      sandbox: isSandbox(answer),
    }
  }

  /** What it needs of the query and the options is read in the call, before the first award is requested. */
  async function* walk(
    { tenantId, pageSize = pageSizeDefault, cursor }: AwardsQuery,
    { signal, timeoutMs }: CallOptions,
  ) {
    let next = cursor ?? null
    const asked = new Set<string>()
    do {
      const query = { tenantId, limit: pageSize, cursor: next }
      const { items, nextCursor } = await ask(query, { signal, timeoutMs }, asked)
      yield* items
      next = nextCursor
    } while (next !== null)
  }

  const awards = (query: AwardsQuery, options: CallOptions = {}) => {
    // Here and not in the generator, which would throw only when the first award is requested.
    check(query, ['tenantId', 'pageSize', 'cursor'])
    return walk(query, options)
  }
  return Object.assign(awards, { page })
}

function isItem(value: unknown): value is AwardHistoryItem {
  if (!isObject(value)) return false
  const { epTransactionId, orderId, userEmail, points, note, awardedAt } = value
  const areTexts = [epTransactionId, orderId ?? '', userEmail, note ?? '', awardedAt].every(
    (text) => typeof text === 'string',
  )
  return areTexts && isPoints(points)
}

function queryOf(parameters: Record<string, string | number | null | undefined>): string {
  return Object.entries(parameters)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`)
    .join('&')
}

type Parameter = keyof AwardsPageQuery | keyof AwardsQuery

const rules: Record<Parameter, (value: unknown) => string | null> = {
  tenantId: (value) =>
    typeof value === 'string' && value !== '' && !/\p{Surrogate}/u.test(value)
      ? null
      : 'must be a string of characters',
  limit: countRule,
  pageSize: countRule,
  cursor: (value) =>
    value === undefined || value === null || (typeof value === 'string' && /^[\w-]+$/.test(value))
      ? null
      : 'must be a nextCursor as it came',
}

function check(query: AwardsPageQuery | AwardsQuery, allowed: Parameter[]): void {
  if (!isObject(query)) {
    throw new InvalidArgumentError('the query', [
      { parameter: '', detail: 'must be an object with a tenantId' },
    ])
  }
  const given = query as Record<string, unknown>
  const faults: RuleFault[] = Object.keys(given)
    .filter((name) => !(allowed as string[]).includes(name))
    .map((name) => ({ parameter: name, detail: hints[name] ?? 'is not a parameter here' }))
  for (const parameter of allowed) {
    const detail = rules[parameter](given[parameter])
    if (detail !== null) faults.push({ parameter, detail })
  }
  if (faults.length > 0) throw new InvalidArgumentError('the query', faults)
}

const hints: Record<string, string> = {
  limit: 'is for awards.page(): awards() walks all pages, and pageSize is their size',
  pageSize: 'is for awards(): the size of one page is its limit',
  signal: 'belongs in the second argument',
  timeoutMs: 'belongs in the second argument',
}

function countRule(value: unknown): string | null {
  const isCount = Number.isInteger(value) && (value as number) >= 1 && (value as number) <= 100
  return value === undefined || isCount ? null : 'must be a whole number from 1 to 100'
}
