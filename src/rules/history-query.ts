import { readCursor } from './cursor.ts'
import { idPattern, idRule, isId } from './id.ts'
import { isPlainWord } from './strict-json.ts'

/** The parameters as JSON Schema. The checks below take their limits from here, and the contract publishes it unchanged. */
export const historySchema = {
  tenantId: {
    type: 'string',
    pattern: idPattern,
    description: 'One of your allowedTenants. Its decoded value is signed.',
    examples: ['t1'],
  },
  limit: {
    type: 'integer',
    minimum: 1,
    maximum: 100,
    default: 20,
    description: 'Awards in a page, in plain digits.',
    examples: [50],
  },
  cursor: {
    type: 'string',
    description:
      'The nextCursor of the page before, unchanged. It belongs to you and to the tenant, and does not expire.',
    examples: ['AQAAAAAAAAACgJ8yb7pUQFo'],
  },
} as const

/** Only three parameters are known. The bound keeps a request from making us decode thousands. */
const partsMax = 32

/** Further rules that the schema of a parameter cannot express. */
export const historyRulesBeyondSchema = [
  'each of the three parameters is given at most once',
  'cursor is a nextCursor of this partner and tenant, unchanged',
  `the query is percent-encoded UTF-8 and has at most ${partsMax} parameters`,
  'there is no body',
] as const

type ParameterError = { parameter: string; detail: string }

type Refusal = { ok: false; errors: ParameterError[] }

/** A decoded query string. `errors` lists the parts that are not percent-encoded UTF-8. */
type DecodedQuery = { parameters: Map<string, string[]>; errors: ParameterError[] }

export function decodeQuery(raw: string): DecodedQuery {
  const parts = raw.split('&', partsMax + 1)
  if (parts.length > partsMax) return { parameters: new Map(), errors: [tooManyParts] }

  const parameters = new Map<string, string[]>()
  const errors: ParameterError[] = []
  for (const part of parts.filter((part) => part !== '')) {
    const [name = '', value = ''] = part.replaceAll('+', ' ').split(/=(.*)/s)
    try {
      const decodedName = decodeURIComponent(name)
      const values = parameters.get(decodedName) ?? []
      parameters.set(decodedName, [...values, decodeURIComponent(value)])
    } catch {
      const parameter = isPlainWord(name) ? name : ''
      errors.push({ parameter, detail: 'is not valid percent-encoded UTF-8' })
    }
  }
  return { parameters, errors }
}

const tooManyParts = { parameter: '', detail: `the query has more than ${partsMax} parameters` }

/**
 * The tenantId that the request's signature covers, '' if none was sent. If it is repeated or cannot be decoded, there
 * is no value that could have been signed, so the request is refused with these errors.
 */
export function signedTenantId(query: DecodedQuery): { ok: true; tenantId: string } | Refusal {
  if (query.errors.includes(tooManyParts)) return { ok: false, errors: query.errors }
  const unreadable = query.errors.filter(({ parameter }) => parameter === 'tenantId')
  const values = query.parameters.get('tenantId') ?? []
  if (values.length + unreadable.length > 1 || query.parameters.has('tenantId[]')) {
    return { ok: false, errors: [{ parameter: 'tenantId', detail: 'must be given once' }] }
  }
  if (unreadable.length > 0) return { ok: false, errors: unreadable }
  return { ok: true, tenantId: values[0] ?? '' }
}

type HistoryQuery = { tenantId: string; limit: number; beforeSeq: number | null }

/** Reports all broken rules at once. Nothing is clamped; unknown parameters are ignored. */
export function readHistoryQuery(
  { parameters, errors: undecodable }: DecodedQuery,
  partnerId: string,
): { ok: true; query: HistoryQuery } | Refusal {
  const errors = [...undecodable]
  const tenantId = single('tenantId')
  if (tenantId === undefined) errors.push({ parameter: 'tenantId', detail: 'is required' })
  else if (!isId(tenantId)) errors.push({ parameter: 'tenantId', detail: idRule })

  const { default: limitDefault, minimum, maximum } = historySchema.limit
  const limit = single('limit') ?? String(limitDefault)
  if (!/^(?:0|[1-9][0-9]*)$/.test(limit) || Number(limit) < minimum || Number(limit) > maximum) {
    const detail = `must be an integer from ${minimum} to ${maximum}, in plain digits`
    errors.push({ parameter: 'limit', detail })
  }
  const cursor = single('cursor')
  const beforeSeq = cursor === undefined ? null : readCursor({ partnerId, tenantId: tenantId ?? '' }, cursor)
  if (cursor !== undefined && beforeSeq === null) {
    errors.push({ parameter: 'cursor', detail: 'must be a nextCursor of this partner and tenant, unchanged' })
  }
  if (tenantId === undefined || errors.length > 0) return { ok: false, errors }
  return { ok: true, query: { tenantId, limit: Number(limit), beforeSeq } }

  function single(parameter: string): string | undefined {
    const values = parameters.get(parameter) ?? []
    if (values.length > 1) errors.push({ parameter, detail: 'must be given once' })
    return values[0]
  }
}
