import { Ajv2020, type ErrorObject, type ValidateFunction } from 'ajv/dist/2020.js'
import type { TObject } from 'typebox'
import { parseStrictJson } from '../../rules/strict-json.ts'
import { ApiProblem } from './problem.ts'
import type { ApiRoute } from './route.ts'

export type Input = { params: unknown; query: unknown; body: unknown }
type Sent = {
  params: Record<string, string>
  query: Record<string, string | string[]>
  contentType: string | undefined
  body: Uint8Array | null
}
type BrokenRule = { pointer?: string; parameter?: string; detail: string }

/** Makes what checks the requests of a route by its schemas. All broken rules are reported at once. */
export function createInputCheck({ params, query, body }: ApiRoute): (sent: Sent) => Input {
  const checks = { params: compiled(params), query: compiled(query), body: body && compiled(body) }
  return (sent) => {
    const errors: BrokenRule[] = []
    const read = { params: sent.params, query: typedQuery(query, sent.query), body: readBody(body, sent) }
    for (const place of ['params', 'query'] as const)
      for (const error of broken(checks[place], read[place]))
        errors.push({ parameter: parameterOf(error), detail: detailOf(error) })
    if (checks.body !== null)
      for (const error of broken(checks.body, read.body))
        errors.push({ pointer: error.instancePath, detail: detailOf(error) })
    if (errors.length === 0) {
      // PostgreSQL cannot store it, and nothing of ours has one.
      if (hasNul(read)) throw new ApiProblem('INVALID_REQUEST', 'a text has a NUL character: leave it out')
      return read
    }
    throw new ApiProblem('INVALID_REQUEST', summaryOf(errors), { members: { errors } })
  }
}

const ajv = new Ajv2020({ allErrors: true, strict: true, strictTypes: false, allowUnionTypes: true })
// Only responses have times.
ajv.addFormat('date-time', true)

function compiled(schema: TObject): ValidateFunction {
  return ajv.compile(schema)
}

/** Of what the schemas have accepted, so that it is not deep. */
function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0')
  return typeof value === 'object' && value !== null && Object.values(value).some(hasNul)
}

const errorsMax = 20

function broken(check: ValidateFunction, value: unknown): ErrorObject[] {
  return check(value)
    ? []
    : (check.errors ?? []).filter(({ keyword }) => keyword !== 'anyOf').slice(0, errorsMax)
}

/** A query is text: numbers and flags are read as the schema says, and only if they are written as such. */
function typedQuery(schema: TObject, query: Sent['query']): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(query).map(([name, value]) => {
      const { type } = (schema.properties[name] ?? {}) as { type?: string }
      if (Array.isArray(value)) return [name, value]
      if (type === 'integer' && /^-?[0-9]{1,16}$/.test(value)) return [name, Number(value)]
      if (type === 'boolean' && (value === 'true' || value === 'false')) return [name, value === 'true']
      return [name, value]
    }),
  )
}

const jsonType = /^application\/json(?: *; *charset="?utf-8"?)?$/i

function readBody(schema: TObject | null, { contentType, body }: Sent): unknown {
  if (schema === null) {
    if (body !== null && body.length > 0)
      throw new ApiProblem('INVALID_REQUEST', 'this request takes no body')
    return null
  }
  if (contentType === undefined || !jsonType.test(contentType))
    throw new ApiProblem('UNSUPPORTED_MEDIA_TYPE', 'send the body as Content-Type: application/json')
  const { text, value } = parsed(body ?? new Uint8Array())
  // JSON.parse takes the last of two members with one name, and the operator may have meant the other.
  const strict = parseStrictJson(text)
  if (strict.ok) return value
  throw new ApiProblem('INVALID_REQUEST', summaryOf(strict.errors), { members: { errors: strict.errors } })
}

function parsed(body: Uint8Array): { text: string; value: unknown } {
  try {
    const text = utf8.decode(body)
    return { text, value: JSON.parse(text) }
  } catch {
    throw new ApiProblem('INVALID_REQUEST', 'the body is not JSON in UTF-8')
  }
}

const utf8 = new TextDecoder('utf-8', { fatal: true })

function parameterOf({ instancePath, params }: ErrorObject): string {
  const [, name] = instancePath.split('/')
  return name ?? String(params.missingProperty ?? params.additionalProperty ?? '')
}

function detailOf({ keyword, message = 'is wrong', params }: ErrorObject): string {
  if (keyword === 'additionalProperties') return `there is no "${params.additionalProperty}" here`
  if (keyword === 'enum') return `must be one of ${params.allowedValues.join(', ')}`
  return message
}

function summaryOf(errors: BrokenRule[]): string {
  const [first] = errors as [BrokenRule]
  const place = first.parameter ?? first.pointer ?? ''
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  return `${place === '' ? 'the body' : place}: ${first.detail}${more}`
}
